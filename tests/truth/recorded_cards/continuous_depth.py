"""Cards of *Continuous depth*, from losses on unseen points, with the field followed in steps or exactly."""

from tests.truth.recorded_cards.card import Card
from tests.truth.recorded_cards.runs import joined, last_quarter, of, settings_of

LABELS = {"ode": "neural ODE", "residual": "residual network"}
NAMES = tuple(LABELS.values())


def trained(run):
    """The identifiers of the run's networks, the flow first."""
    return [name for name in LABELS if name in run.network.values]


def labels(networks):
    return [LABELS[name] for name in networks]


def last(run, network, variable):
    """A variable's value at the last look."""
    return float(of(run, network)[variable].isel(look=-1))


def loss(run, network):
    return last(run, network, "test_loss")


def refined(run, network):
    return last(run, network, "refined_test_loss")


def score(run, network):
    """The share of points right, mean over the last quarter of the looks; of the regression, the last error."""
    if settings_of(run).task == "flip":
        return loss(run, network)
    return last_quarter(of(run, network).test_accuracy)


def line(run):
    """Where a score counts as learned, and whether it has to be above that."""
    return (0.05, False) if settings_of(run).task == "flip" else (0.995, True)


def knows(run, network):
    threshold, above = line(run)
    return score(run, network) >= threshold if above else score(run, network) < threshold


def follows_steps(run, network):
    """Whether the exact flow has a loss more than a tenth away, in shares of the larger one, if that counts at all."""
    larger = max(loss(run, network), refined(run, network))
    return larger > 0.02 and abs(refined(run, network) - loss(run, network)) > 0.1 * larger


def learned(run):
    named = [name for name in trained(run) if knows(run, name)]
    return Card(
        True,
        number=tuple(score(run, name) for name in named),
        threshold=line(run)[:1],
        named=labels(named),
    )


def not_learned(run):
    named = [name for name in trained(run) if not knows(run, name)]
    return Card(
        True,
        number=tuple(score(run, name) for name in named),
        threshold=line(run)[:1],
        named=labels(named),
    )


def solver_s_map(run):
    named = [name for name in trained(run) if follows_steps(run, name)]
    return Card(
        True,
        number=joined((loss(run, name), refined(run, name)) for name in named),
        threshold=(0.1,),
        named=labels(named),
    )


def residual_is_flow(run):
    return Card(
        not follows_steps(run, "residual") and knows(run, "residual"),
        number=(loss(run, "residual"), refined(run, "residual")),
        threshold=(0.1, 0.02),
        explanation=(settings_of(run).blocks,),
    )


def nested_classes(run):
    """A flow of two dimensions that leaves points wrong; its steps are fine enough to make it one."""
    in_the_plane = settings_of(run).task == "rings" and run.sizes["dimension"] == 2
    return Card(
        in_the_plane and not knows(run, "ode") and not follows_steps(run, "ode"),
        number=(score(run, "ode"),),
        threshold=(0.995,),
    )


def order_kept(run):
    """The best increasing answer to -x is 0 for all, which leaves the mean of x² over -1 to 1: a third."""
    on_a_line = settings_of(run).task == "flip" and run.sizes["dimension"] == 1
    return Card(
        on_a_line and loss(run, "ode") > 0.2 and not follows_steps(run, "ode"),
        number=(loss(run, "ode"),),
        threshold=(0.2, 1 / 3),
    )


def growing_stiff(run):
    """Mean evaluations forward of the first five steps and of the last quarter of the steps."""
    paid = of(run, "ode").evaluations_forward.values
    first, now = float(paid[:5].mean()), last_quarter(paid)
    return Card(now > 2.5 * first and not knows(run, "ode"), number=(first, now), threshold=(2.5,))


def saturated_field(run):
    share = last(run, "ode", "field_saturation")
    return Card(share > 0.3 and not knows(run, "ode"), number=(share,), threshold=(0.3, 0.97))


CARDS = {
    card.__name__: card
    for card in (
        learned,
        not_learned,
        solver_s_map,
        residual_is_flow,
        nested_classes,
        order_kept,
        growing_stiff,
        saturated_field,
    )
}
