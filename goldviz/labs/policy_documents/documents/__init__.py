"""Documents as they are brought, generated, kept and compared."""
