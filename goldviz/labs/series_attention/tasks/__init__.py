"""Series to forecast, most of them with a known answer."""
