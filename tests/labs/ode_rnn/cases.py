"""Small runs of *ODE-RNN* for the contract of all laboratories."""

SMALL = {"observations": 6, "hidden": 4, "width": 5, "steps": 5, "batch": 4, "look_every": 2, "step_cap": 1.0}
AWKWARD = SMALL | {"task": "linear", "hidden_share": 0.5, "cell": "lstm", "solver": "dopri5", "optimiser": "sgd"}
OF_A_MARKET = {"task": "market", "batch": 2, "solver": "dopri5", "hidden_share": 0.3, "networks": "flows"}
RUNS = (SMALL, AWKWARD, SMALL | OF_A_MARKET)
ROUNDING = {"interval_error", "activation_histogram", "weight_gradient_histogram"}
BLIND = {"look_every": 1}

LARGE = (
    {
        "steps": 1,
        "hidden": 32,
        "width": 64,
        "observations": 10,
        "longest_gap": 2.0,
        "networks": "ode_rnn",
        "cell": "elman",
    },
    {"steps": 2, "hidden": 64, "width": 128, "batch": 512},
    {"steps": 2, "hidden": 64, "width": 128, "observations": 100, "networks": "ode_rnn"},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (20, 80)
MORE = ({"seeds": (0, 1)}, {"steps": 1200}, {"observations": 40}, {"step_cap": 0.02}, {"solver": "dopri5"})
LESS = ({"networks": "gru"}, {"networks": "ode_rnn"}, {"solver": "euler"}, {"step_cap": 10.0})
DOCUMENTED_IN = "docs/continuous-time.md"
