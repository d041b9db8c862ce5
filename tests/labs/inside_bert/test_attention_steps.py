"""The numbers of one head, step by step, against the model's own."""

import numpy as np
import pytest

from goldviz.labs.inside_bert.head import head_steps
from goldviz.labs.inside_bert.measures import largest_weight
from goldviz.labs.inside_bert.reading import read_text
from tests.diagnostics.text_cases import pieces_of, text_model


def test_every_step_equals_the_model_to_1e_12():
    reading = read_text(text_model(), pieces_of())
    for layer, head, query in ((0, 0, 0), (1, 3, 5), (2, 1, len(reading.pieces) - 1)):
        model = reading.attention(layer)
        found = head_steps(reading, layer + 1, head + 1, query + 1)
        expected = {
            "query_vector": model.query[0, head, query],
            "key_vector": model.key[0, head],
            "value_vector": model.value[0, head],
            "product": model.key[0, head] @ model.query[0, head, query],
            "score": model.scores[0, head, query],
            "weight": model.weights[0, head, query],
            "value_norm": model.value[0, head].norm(dim=-1),
            "weighted_norm": (model.weights[0, head, query, :, None] * model.value[0, head]).norm(dim=-1),
            "output": model.mixed[0, head, query],
        }
        assert set(found.data_vars) == set(expected)
        for name, values in expected.items():
            np.testing.assert_allclose(found[name], values, rtol=1e-10, atol=1e-12, err_msg=name)
        *_, largest = largest_weight(found)
        assert largest["weight"] == pytest.approx(1 / largest["total"], rel=1e-10)
        assert largest["sum"] == pytest.approx(1, rel=1e-10)


def test_it_is_labelled():
    reading = read_text(text_model(), pieces_of("gold rose"))
    found = head_steps(reading, 2, 3, 4)
    assert found["token"].values.tolist() == ["[CLS]", "gold", "rose", "[SEP]"]
    assert dict(found.sizes) == {"dimension": 6, "piece": 4}
    assert found.attrs == {"layer": 2, "head": 3, "query_piece": 4}
    assert all(variable.attrs["long_name"] for variable in found.values())


def test_tokens_that_do_not_exist_are_named():
    reading = read_text(text_model(), pieces_of("gold rose"))
    with pytest.raises(IndexError, match="token is number 5; the text has numbers 1 to 4"):
        head_steps(reading, 1, 1, 5)
