"""Encode the generated documents with the shipped model, and keep the vectors that come with the package."""

from safetensors.numpy import save_file

from goldviz.data.texts.policy.generated import generated_documents
from goldviz.labs.policy_documents.documents.vectors import SHIPPED_VECTORS, shipped_arrays, vector_name
from goldviz.models.text.loading import SHIPPED_FOLDER, SHIPPED_NAME, load_text_model
from goldviz.texts.encoding import encoded

model = load_text_model(SHIPPED_FOLDER, SHIPPED_NAME)
vectors = {vector_name(model.fingerprint, text.name): encoded(model, text.text) for text in generated_documents().texts}
save_file(shipped_arrays(vectors), SHIPPED_VECTORS)
print(f"{len(vectors)} vectors, {SHIPPED_VECTORS.stat().st_size / 1024:.0f} kB")
