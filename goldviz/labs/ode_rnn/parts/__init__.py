"""What the page of *ODE-RNN* is made of besides its figures."""
