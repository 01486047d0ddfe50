"""How many of a layer's experts a batch sends tokens to, if each is as likely."""

from snippets.speed import experts_read

for name, experts, used in (("Mixtral 8x7B", 8, 2), ("DeepSeek-V3", 256, 8)):
    for batch in (1, 8, 64):
        touched = experts_read(experts, used, batch)
        print(f"{name}, batch {batch}: {touched:.1f} of {experts} experts")
