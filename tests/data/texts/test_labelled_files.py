"""Files of labelled texts in every form that they come in, and what is no such file."""

import io

import pandas as pd
import pytest

import goldviz
from goldviz.cli.errors import CommandError
from goldviz.cli.running import with_files
from goldviz.data.texts.kept_texts import keep_text
from goldviz.data.texts.labelled_files import LONGEST_TEXT, of_a_file
from goldviz.data.texts.labelled_texts import GENERATED, labelled_texts
from goldviz.data.texts.pieces import TextError
from goldviz.data.texts.policy.sentences import TONES
from goldviz.declare.registry import experiment
from tests.refusals import refused

REVIEWS = pd.DataFrame(
    {
        "review": [f"Dish {n} was fresh, and hot." if n % 3 else f"Dish {n} was stale;\ncold." for n in range(30)],
        "label": ["praise" if n % 3 else "blame" for n in range(30)],
    }
)
KEPT = "".join(f"{' '.join(text.split())}\t{label}\n" for text, label in REVIEWS.itertuples(index=False)).encode()


def saved(table, ending, header=True):
    content = io.BytesIO()
    if ending == "xlsx":
        table.to_excel(content, index=False, header=header)
    elif ending == "parquet":
        table.to_parquet(content, index=False)
    else:
        return table.to_csv(index=False, header=header, sep={"csv": ",", "tsv": "\t"}[ending]).encode()
    return content.getvalue()


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx", "parquet"])
def test_every_form_of_the_same_texts_is_kept_alike(ending):
    for table in (REVIEWS, REVIEWS[["label", "review"]], REVIEWS.assign(number=range(30))):
        content, notes = of_a_file(saved(table, ending), f"reviews.{ending}")
        assert content == KEPT
        assert notes == ("24 texts are learned, 6 stay unseen: every fifth of each class.",)


def test_a_file_is_named_in_a_notebook_and_in_the_shell(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(saved(REVIEWS, "csv"))
    name = goldviz.labelled_texts(path)
    assert name == keep_text(KEPT, "reviews.csv").name
    kind = experiment("bert-pretraining")
    for given, kept in ((str(path), name), (GENERATED, GENERATED)):
        assert with_files(kind, {"start_from": None, "labelled_texts": given})["labelled_texts"] == kept
    kind.checked({"labelled_texts": name})
    with refused(TextError, "disk", "nowhere.csv", "No such file"):
        goldviz.labelled_texts(tmp_path / "nowhere.csv")
    path.write_text("text,label\n")
    with pytest.raises(CommandError, match="reviews"):
        with_files(kind, {"start_from": None, "labelled_texts": str(path)})


def test_a_text_file_without_a_header_loses_no_text():
    assert of_a_file(saved(REVIEWS, "csv", header=False), "reviews.csv")[0] == KEPT
    with refused(TextError, "no_header", "Row 1 of reviews.xlsx"):
        of_a_file(saved(REVIEWS, "xlsx", header=False), "reviews.xlsx")


def test_stars_are_classes_and_rows_that_say_nothing_new_are_left_out_and_said():
    stars = pd.DataFrame({"stars": [1 + n % 5 for n in range(40)], "text": [f"It was number {n}." for n in range(40)]})
    more = pd.DataFrame({"stars": [3, 4, 5], "text": ["It was number 0.", "", "long " * LONGEST_TEXT]})
    for ending in ("csv", "xlsx", "parquet"):
        content, notes = of_a_file(saved(pd.concat([stars, more]), ending), f"stars.{ending}")
        lines = content.decode().splitlines()
        assert [line.split("\t")[1] for line in lines] == [*stars["stars"].astype(str), "5"]
        assert max(map(len, lines)) == LONGEST_TEXT + 2
        assert notes[1:] == (
            "Rows left out, without a text or a label: 1.",
            "Texts that stood in an earlier row, left out: 1.",
            "Texts cut after 5,000 letters: 1.",
        )


def of_labels(labels, texts=None):
    return pd.DataFrame({"text": texts or [f"It was number {n}." for n in range(len(labels))], "label": labels})


BAD = {
    ("classes", "one class, 'a'; allowed are 2 to 20"): of_labels(["a"] * 30),
    ("classes", "1,000 classes; allowed are 2 to 20"): of_labels([f"c{n}" for n in range(1000)]),
    ("classes", "'b' has 4 texts; allowed are at least 5"): of_labels(["a"] * 20 + ["b"] * 4),
    ("classes", "'b' has 1 text; allowed are at least 5"): of_labels(["a", "b", *["a"] * 20]),
    ("no_rows", "10"): of_labels(["a", "b"] * 10, [""] * 20),
    ("no_labels", "dates"): of_labels(list(pd.date_range("2024-01-01", periods=30))),
    ("no_labels", "3 columns"): of_labels(["a", "b"] * 10).rename(columns={"text": "x"}).assign(other=1),
}


@pytest.mark.parametrize("said", BAD)
def test_a_file_that_cannot_be_learned_is_refused(said):
    code, fact = said
    for ending in ("csv", "parquet"):
        with refused(TextError, code, f"bad.{ending}", fact):
            of_a_file(saved(BAD[said], ending), f"bad.{ending}")


@pytest.mark.parametrize(
    ("content", "code", "fact"),
    [
        (b"", "empty", ""),
        (b"%PDF-1.7", "other_kind", "PDF"),
        (bytes(range(32)) * 9, "other_kind", "binary"),
        (b"good\nbad\n", "one_column", ""),
        (b"a,b\n1,2,3\n", "uneven_row", "Row 2"),
        (b"PAR1" * 9, "damaged", "Parquet"),
    ],
)
def test_what_is_no_table_of_texts_is_refused(content, code, fact):
    with refused(TextError, code, "bad.csv", fact):
        of_a_file(content, "bad.csv")


def test_every_fifth_text_of_a_class_is_unseen_and_no_other():
    texts = labelled_texts(keep_text(KEPT, "reviews.csv").name)
    assert texts.classes == ("blame", "praise")
    assert sorted(texts.learned + texts.unseen) == sorted(
        (" ".join(text.split()), texts.classes.index(label)) for text, label in REVIEWS.itertuples(index=False)
    )
    for number, label in enumerate(texts.classes):
        own = [" ".join(text.split()) for text in REVIEWS.review[REVIEWS.label == label]]
        assert [text for text, its in texts.unseen if its == number] == own[4::5]


def test_generated_statements_have_their_tones_and_none_twice():
    texts = labelled_texts(GENERATED)
    assert texts.classes == TONES
    every = [text for text, _ in texts.learned + texts.unseen]
    assert len(set(every)) == len(every) > 2000


def test_a_text_without_labels_is_named():
    with refused(TextError, "other_kind"):
        labelled_texts(keep_text(b"Gold rose.\nIt fell.\n", "own.txt").name)
