"""Encode the generated documents with the shipped model: vectors and tones that come with the package."""

from pathlib import Path

from safetensors.numpy import save_file

from goldviz.data.markets import statement_tones
from goldviz.data.texts.policy.generated_documents import generated_documents
from goldviz.labs.policy_documents.documents.vectors import SHIPPED_VECTORS, shipped_arrays, vector_name
from goldviz.labs.policy_documents.text_vector import encoded, tone_balance
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME, load_text_model

ON_A_LINE = 5

model, texts = load_text_model(SHIPPED_FOLDER, SHIPPED_NAME), generated_documents().texts
found = [encoded(model, text.text) for text in texts]
names = [vector_name(model.fingerprint, text.name) for text in texts]
save_file(shipped_arrays(dict(zip(names, found, strict=True))), SHIPPED_VECTORS)
read = [
    f"{text.released} {tone_balance(vector.tone[None], model.labels)[0]:+.4f}"
    for text, vector in zip(texts, found, strict=True)
    if text.kind == "Statement"
]
lines = ["   ".join(read[start : start + ON_A_LINE]) for start in range(0, len(read), ON_A_LINE)]
table = "\n".join(lines)
Path(str(statement_tones.__file__)).write_text(
    f'"""{statement_tones.__doc__}"""\n\nREAD = """\n{table}\n"""\n', encoding="utf-8"
)
print(f"{len(found)} vectors, {SHIPPED_VECTORS.stat().st_size / 1024:.0f} kB; {len(read)} tones")
