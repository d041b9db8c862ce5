"""Claims on pages: a list with a filter, a link that sets a laboratory up, and a click that runs the lanes."""

from goldviz.declare.claims import claim_of, claims, claims_of
from goldviz.labs.depth_gradients import LAB
from goldviz.ui.panels import controls
from goldviz.ui.panels.claims import badge
from goldviz.ui.serving import services
from goldviz.ui.words import plain
from tests.pages.visit import LABORATORY, Visitor

IN_ORDER = sorted(claims().values(), key=lambda claim: claim.kind == "question")
PAGE, PARAMETERS, GATES = "pages/claims.py", claim_of("C66"), claim_of("C79")


def links(visitor: Visitor) -> list[tuple[str, str]]:
    """Label and query of each link to a laboratory."""
    found = [element.proto for element in visitor.at.get("page_link")]
    return [(link.label, link.query_string) for link in found if link.query_string]


def test_the_page_lists_all_claims_and_filters_them() -> None:
    visitor = Visitor(PAGE)
    assert links(visitor) == [
        (f"**{claim.number}** {plain(claim.sentence)}", f"claim={claim.number}") for claim in IN_ORDER
    ]
    assert sum(line in [badge(claim.word) for claim in claims().values()] for line in visitor.markdown) == len(claims())
    visitor.at.selectbox(key="claims-document").set_value("004")
    shown = [query for _, query in links(visitor.look())]
    assert shown == [f"claim={claim.number}" for claim in IN_ORDER if claim.document == "004"]
    visitor.at.session_state["claims-verdict"] = "holds in part"
    visitor.at.selectbox(key="claims-document").set_value("all")
    visitor.at.toggle(key="claims-numbers").set_value(True)
    partly = [claim for claim in claims().values() if claim.word == "holds in part"]
    assert len(links(visitor.look())) == len(partly)
    assert {plain(claim.verdict.numbers) for claim in partly if claim.verdict} <= set(visitor.captions)


def test_a_link_sets_an_instant_page_up_for_its_claim() -> None:
    visitor = Visitor("pages/jacobian_lens.py", {"claim": "C79"})
    assert GATES.verdict is not None
    assert any(plain(GATES.verdict.numbers) in caption for caption in visitor.captions)
    declared = GATES.lab.declared
    for number, lane in enumerate(GATES.together, start=1):
        assert controls.to_link(lane) | {"shown": "claims"} == dict(visitor.at.query_params)
        # The first set-up is there on arrival: a press that changes nothing answers, too.
        for pressed in (f"try-C79-{number}", "try-C79-2" if number == 1 else "try-C79-1"):
            visitor.click(pressed)
            assert visitor.at.toast[0].value.startswith("Set up: ")
    assert visitor.at.session_state[controls.key_of(declared, "cell")] == "lstm"


def test_a_link_to_no_claim_says_so() -> None:
    visitor = Visitor(LABORATORY, {"claim": "C79<b>"})
    assert [line for line in visitor.warnings if plain("has no claim 'C79<b>'") in line]


def test_a_link_opens_the_recorded_runs_that_a_claim_compares() -> None:
    assert Visitor(LABORATORY, {"claim": "C61"}).runs == ["example:as-in-the-document", "example:break-it-sigmoid"]


def test_one_click_runs_a_claim_and_the_page_judges_the_runs() -> None:
    visitor = Visitor(LABORATORY).open("claims")
    assert {f"try-{claim.number}" for claim in claims_of(LAB)} <= {button.key for button in visitor.at.button}
    visitor.click("try-C66").wait_for("Finished")
    [run_id] = visitor.runs
    assert visitor.at.query_params["epochs"] == "1"
    assert services.store().run(run_id).settings == PARAMETERS.together[0].model_dump_json()
    assert PARAMETERS.verdict is not None
    visitor.open("claims")
    assert [line for line in visitor.markdown if line.startswith("Your runs:")] == [
        f"Your runs: {badge(PARAMETERS.word)} {plain(PARAMETERS.verdict.numbers)}"
    ]
