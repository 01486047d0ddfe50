"""What reads images beside a language model: vision towers and projectors, counted apart."""

from typing import Any

from snippets.models.configuration import Configuration, listed, whole
from snippets.models.model import Beside

CLIP = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
    "patch_size": 32,
}
SIGLIP = CLIP | {"patch_size": 16}
QWEN2_VL = {"depth": 32, "embed_dim": 1280, "hidden_size": 3584, "mlp_ratio": 4, "patch_size": 14}
QWEN2_5_VL = {"depth": 32, "hidden_size": 3584, "intermediate_size": 3420, "patch_size": 14}
QWEN3_VL = {
    "depth": 27,
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "patch_size": 16,
    "num_position_embeddings": 2304,
    "out_hidden_size": 3584,
    "deepstack_visual_indexes": [8, 16, 24],
}
GEMMA4 = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 16,
    "num_attention_heads": 12,
    "num_key_value_heads": 12,
    "head_dim": 64,
    "patch_size": 16,
    "position_embedding_size": 10240,
}
LLAMA4 = {
    "hidden_size": 768,
    "intermediate_size": 5632,
    "num_hidden_layers": 34,
    "image_size": 448,
    "patch_size": 14,
    "projector_input_dim": 4096,
    "projector_output_dim": 4096,
    "pixel_shuffle_ratio": 0.5,
    "vision_output_dim": 7680,
}
STEP = {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 47, "patch_size": 14}
KIMI = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "patch_size": 14,
    "pos_emb_height": 64,
    "pos_emb_width": 64,
}
MLLAMA = {
    "hidden_size": 1280,
    "intermediate_size": 5120,
    "num_hidden_layers": 32,
    "num_global_layers": 8,
    "image_size": 448,
    "patch_size": 14,
    "max_num_tiles": 4,
    "vision_output_dim": 7680,
}
PIXTRAL = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "patch_size": 16,
}


def towers(kind: str, outer: dict[str, Any], hidden: int) -> list[Beside]:
    """The towers and projectors that a configuration describes, for a hidden size of `hidden`."""
    vision = outer.get("vision_config") or ({} if kind == "step3p7" else None)
    if not isinstance(vision, dict):
        return []
    known = {
        "gemma3": siglip_gemma3,
        "gemma4": gemma4_tower,
        "kimi_k25": kimi_tower,
        "llama4": llama4_tower,
        "llava": clip_llava,
        "mistral3": pixtral_mistral3,
        "mllama": mllama_tower,
        "paligemma": siglip_paligemma,
        "qwen2_5_vl": qwen2_5_vl_tower,
        "qwen2_vl": qwen2_vl_tower,
        "qwen3_5": qwen3_vl_tower,
        "qwen3_5_moe": qwen3_vl_tower,
        "qwen3_vl": qwen3_vl_tower,
        "qwen3_vl_moe": qwen3_vl_tower,
        "step3p7": step_tower,
    }
    if kind not in known:
        raise ValueError(f"vision_config of {kind!r}: this tower is not known here")
    return [each for each in known[kind](vision, outer, hidden) if each.parameters]


def encoder(width: int, inner: int, layers: int, *, gated: bool = False, bias: bool = True) -> int:
    """Layers of attention, an MLP and two norms, all with biases or none."""
    matrices = 4 * width * width + (3 if gated else 2) * width * inner
    biases = 4 * width + (2 if gated else 1) * inner + width + 2 * width if bias else 0
    return layers * (matrices + biases + 2 * width)


def linear(inputs: int, outputs: int) -> int:
    """A matrix and its bias."""
    return (inputs + 1) * outputs


def siglip(vision: Configuration) -> int:
    """SigLIP: patches and positions, layers, a last norm."""
    width, patch = whole(vision, "hidden_size"), whole(vision, "patch_size")
    positions = (whole(vision, "image_size") // patch) ** 2
    layers = encoder(width, whole(vision, "intermediate_size"), whole(vision, "num_hidden_layers"))
    return linear(3 * patch * patch, width) + positions * width + layers + 2 * width


def siglip_gemma3(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """SigLIP, and one matrix with a norm before it as the projector."""
    held = Configuration("siglip", vision, SIGLIP)
    width = whole(held, "hidden_size")
    return [
        Beside(name="vision tower", parameters=siglip(held)),
        Beside(name="projector", parameters=width * hidden + width),
    ]


def siglip_paligemma(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """SigLIP, and one matrix with biases to the projected dimension."""
    held = Configuration("siglip", vision, SIGLIP)
    projected = outer.get("projection_dim") or vision.get("projection_dim") or 2048
    return [
        Beside(name="vision tower", parameters=siglip(held)),
        Beside(name="projector", parameters=linear(whole(held, "hidden_size"), projected)),
    ]


def clip_llava(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """CLIP: a class embedding beside the patches, a norm before the layers and one after."""
    held = Configuration("clip", vision, CLIP)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    positions = (whole(held, "image_size") // patch) ** 2 + 1
    layers = encoder(width, whole(held, "intermediate_size"), whole(held, "num_hidden_layers"))
    tower = width * (3 * patch * patch + positions + 1 + 4) + layers
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=linear(width, hidden) + linear(hidden, hidden)),
    ]


def qwen3_vl_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Positions, layers, a merger of four patches, and mergers of earlier layers."""
    held = Configuration("qwen3_vl", vision, QWEN3_VL)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    frames = whole(held, "temporal_patch_size", default=2)
    merged = width * whole(held, "spatial_merge_size", default=2) ** 2
    out = whole(held, "out_hidden_size")
    merger = linear(merged, merged) + linear(merged, out)
    layers = encoder(width, whole(held, "intermediate_size"), whole(held, "depth"))
    positions = whole(held, "num_position_embeddings") * width
    deep = len(listed(held, "deepstack_visual_indexes")) * (merger + 2 * merged)
    return [
        Beside(
            name="vision tower",
            parameters=linear(3 * frames * patch * patch, width) + positions + layers,
        ),
        Beside(name="projector", parameters=merger + 2 * width + deep),
    ]


def qwen2_vl_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Patches of two frames each; two matrices merge four of them into one."""
    held = Configuration("qwen2_vl", vision, QWEN2_VL)
    width, patch = whole(held, "embed_dim"), whole(held, "patch_size")
    out = whole(held, "hidden_size")
    merged = 4 * width
    tower = 3 * 2 * patch * patch * width
    tower += encoder(width, whole(held, "mlp_ratio") * width, whole(held, "depth"))
    merger = 2 * width + linear(merged, merged) + linear(merged, out)
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=merger),
    ]


def qwen2_5_vl_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """RMSNorm and a gated MLP with biases."""
    held = Configuration("qwen2_5_vl", vision, QWEN2_5_VL)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    inner, merged = whole(held, "intermediate_size"), 4 * width
    each = 4 * width * width + 4 * width + 2 * linear(width, inner) + linear(inner, width)
    tower = 3 * 2 * patch * patch * width + whole(held, "depth") * (each + 2 * width)
    out = whole(held, "out_hidden_size", default=hidden)
    merger = width + linear(merged, merged) + linear(merged, out)
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=merger),
    ]


def gemma4_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """A table of positions for rows and columns; gated MLPs, four norms and norms of heads."""
    held = Configuration("gemma4", vision, GEMMA4)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    heads, head = whole(held, "num_attention_heads"), whole(held, "head_dim")
    keys = whole(held, "num_key_value_heads", default=heads)
    each = 2 * width * (heads + keys) * head + 2 * head + 4 * width
    each += 3 * width * whole(held, "intermediate_size")
    positions = 2 * whole(held, "position_embedding_size") * width
    tower = 3 * patch * patch * width + positions + whole(held, "num_hidden_layers") * each
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=width * hidden),
    ]


def kimi_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Learned positions in two dimensions; two matrices merge four patches into one."""
    held = Configuration("kimi", vision, KIMI)
    width = whole(held, "vt_hidden_size", "hidden_size")
    patch = whole(held, "patch_size")
    rows = whole(held, "init_pos_emb_height", "pos_emb_height")
    columns = whole(held, "init_pos_emb_width", "pos_emb_width")
    inner = whole(held, "vt_intermediate_size", "intermediate_size")
    layers = encoder(width, inner, whole(held, "vt_num_hidden_layers", "num_hidden_layers"))
    merged = 4 * width
    projector = 2 * width + linear(merged, merged) + linear(merged, hidden)
    tower = linear(3 * patch * patch, width) + rows * columns * width + layers + 2 * width
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=projector),
    ]


def llama4_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Patches without a bias, a class embedding, norms before and after, an adapter."""
    held = Configuration("llama4", vision, LLAMA4)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    positions = (whole(held, "image_size") // patch) ** 2 + 1
    layers = encoder(width, whole(held, "intermediate_size"), whole(held, "num_hidden_layers"))
    tower = 3 * patch * patch * width + width + positions * width + 4 * width + layers
    middle, out = whole(held, "projector_input_dim"), whole(held, "projector_output_dim")
    shuffled = whole(held, "intermediate_size")
    tower += shuffled * middle + middle * out
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=whole(held, "vision_output_dim") * hidden),
    ]


def pixtral_mistral3(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Pixtral: no biases, RMSNorm, gated MLPs; a merger of four patches."""
    held = Configuration("pixtral", vision, PIXTRAL)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    inner, count = whole(held, "intermediate_size"), whole(held, "num_hidden_layers")
    tower = 3 * patch * patch * width + width
    tower += encoder(width, inner, count, gated=True, bias=False)
    merged = width * (outer.get("spatial_merge_size") or 2) ** 2
    bias = outer.get("multimodal_projector_bias") is True
    projector = width + merged * width + width * hidden + hidden * hidden
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=projector + (2 * hidden if bias else 0)),
    ]


def mllama_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Layers for each tile and, with gates, for all; tables for each of nine shapes of an image."""
    held = Configuration("mllama", vision, MLLAMA)
    width, patch = whole(held, "hidden_size"), whole(held, "patch_size")
    tokens = (whole(held, "image_size") // patch) ** 2 + 1
    inner, tiles = whole(held, "intermediate_size"), whole(held, "max_num_tiles")
    ratios = len(listed(held, "supported_aspect_ratios")) or 8
    local, over = whole(held, "num_hidden_layers"), whole(held, "num_global_layers")
    each = 4 * width * width + linear(width, inner) + linear(inner, width) + 4 * width
    tables = (ratios + 1) * tiles * width * (tokens + 2) + 3
    tower = width * (1 + 3 * patch * patch + tokens + 4) + tables + (local + over) * each + 2 * over
    return [
        Beside(name="vision tower", parameters=tower),
        Beside(name="projector", parameters=linear(whole(held, "vision_output_dim"), hidden)),
    ]


def step_tower(vision: dict[str, Any], outer: dict[str, Any], hidden: int) -> list[Beside]:
    """Layers with a scale for each branch; two convolutions that halve rows and columns."""
    held = Configuration("step3p7", vision, STEP)
    width, patch = whole(held, "hidden_size", "width"), whole(held, "patch_size")
    count = whole(held, "num_hidden_layers", "layers")
    tokens = (whole(held, "image_size", default=728) // patch) ** 2
    layers = encoder(width, whole(held, "intermediate_size"), count) + 2 * count * width
    halved = linear(9 * width, 2 * width) + linear(9 * 2 * width, 4 * width)
    return [
        Beside(
            name="vision tower",
            parameters=width * (3 * patch * patch + tokens + 2) + layers + halved,
        ),
        Beside(name="projector", parameters=4 * width * hidden),
    ]
