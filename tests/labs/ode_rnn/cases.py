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
OTHERWISE = {
    "task": ("oscillator", "market"),
    "solver": ("rk4", "euler", "dopri5"),
    "step_cap": (0.005, 0.1, 10.0),
    "longest_gap": (0.05, 0.6),
}
USELESS_FORECAST = (
    "learned",
    "ignoring_gaps",
    "extrapolation_poor",
    "under_trained",
    "holds_in_long_gaps",
    "solver_consistent",
    "bands_too_narrow",
    "bands_too_wide",
)
EXCLUDED: dict[str, tuple[str, ...]] = {
    "no_skill": (*USELESS_FORECAST, "learned_nothing"),
    "learned_nothing": USELESS_FORECAST,
    "solver_too_coarse": (
        "learned",
        "ignoring_gaps",
        "stiff_field",
        "extrapolation_poor",
        "under_trained",
        "holds_in_long_gaps",
        "solver_consistent",
    ),
    "learned": ("ignoring_gaps", "under_trained", "stiff_field", "field_saturated", "state_exploding"),
    "column_ahead": ("learned", "holds_in_long_gaps"),
    "ignoring_gaps": ("holds_in_long_gaps", "solver_consistent"),
    "holds_in_long_gaps": ("extrapolation_poor",),
    "bands_too_narrow": ("bands_too_wide",),
}
