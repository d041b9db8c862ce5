"""What every request passes: who may frame the answers, under which names and below which path the server answers."""
