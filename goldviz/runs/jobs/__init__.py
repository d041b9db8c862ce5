"""Work that takes longer than a page may: its queue, its processes, and what an instant page asks for."""
