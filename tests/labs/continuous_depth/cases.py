"""Small runs of *Continuous depth* for the contract of all laboratories."""

SMALL = {"samples": 21, "width": 4, "steps": 5, "batch": 8, "look_every": 2, "blocks": 3}
AWKWARD = SMALL | {
    "task": "flip",
    "augmented": 2,
    "in_time": True,
    "gradient": "adjoint",
    "method": "midpoint",
    "solver_steps": 3,
    "optimiser": "sgd",
    "clip": 0.05,
    "batch": 50,
}
RUNS = (SMALL, AWKWARD)
ROUNDING = {"weight_gradient_histogram"}
BLIND = {"look_every": 1000}

LARGE = (
    {"steps": 1, "width": 128, "batch": 2048, "networks": "ode"},
    {"steps": 1, "width": 128, "batch": 512, "solver_steps": 64, "method": "rk4", "networks": "ode"},
    {"steps": 1, "width": 128, "batch": 512, "blocks": 128, "networks": "residual"},
)
"""Near the upper limits of what takes memory, a few steps of each."""

SECONDS = (2, 30)
MORE = ({"seeds": (0, 1)}, {"steps": 600}, {"method": "rk4", "solver_steps": 64}, {"look_every": 2})
LESS = ({"networks": "residual"}, {"method": "euler"}, {"look_every": 100})


def absent(changes):
    """A regression reads nothing out."""
    return {"read_out"} if changes.get("task") == "flip" else set()


OTHERWISE = {
    "task": ("rings", "moons", "flip"),
    "method": ("dopri5", "euler"),
    "gradient": ("solver", "adjoint"),
    "augmented": (0, 1),
    "in_time": (False, True),
}
EXCLUDED: dict[str, tuple[str, ...]] = {
    "learned": ("nested_classes", "order_kept", "growing_stiff", "saturated_field", "not_learned"),
    "solver_s_map": ("nested_classes", "order_kept", "residual_is_flow"),
    "nested_classes": ("order_kept", "not_learned"),
    "order_kept": ("not_learned",),
    "not_learned": ("residual_is_flow",),
}
