"""What others say of configurations that are out of reach, beside what the handbook holds."""

import pytest

from snippets.models import MODELS
from snippets.sources import READINGS

# Where the quoted files say otherwise, both figures stand in the note.
DIFFERENT = {
    ("gemma-2b", "context"),  # 4,096 there
    ("gemma-3-4b", "vocabulary"),  # 262,144: the tokens without the padding
    ("gemma-3-12b", "vocabulary"),
    ("mistral-large-123b", "context"),  # 32,768 there
}


def test_quotations_state_what_the_registry_holds() -> None:
    """Whole numbers agree exactly: 64 rows of a vocabulary are not a rounding."""
    different = {
        (slug, name)
        for slug, model in MODELS.items()
        for name, source in model.sources.items()
        if any(source.differs(other) for other in source.others)
    }
    assert different == DIFFERENT


@pytest.mark.parametrize(
    ("slug", "reading"),
    [("phi-2", "two quotations"), ("opt-66b", "one quotation"), ("llama-3.1-8b", "document")],
)
def test_a_quotation_is_not_the_document(slug: str, reading: str) -> None:
    """A figure counts as read in the document only where its file was read."""
    assert reading in READINGS
    assert MODELS[slug].sources["layers"].reading == reading
