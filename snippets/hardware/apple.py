"""Apple's systems on a chip: one memory for CPU and GPU."""

from dataclasses import replace

from snippets.hardware.accelerator import Accelerator, Document, GiB

M1_RELEASE = Document(
    "Apple: Introducing M1 Pro and M1 Max, press release of 18 October 2021",
    "https://www.apple.com/gw/newsroom/2021/10/introducing-m1-pro-and-m1-max-the-most-powerful-chips-apple-has-ever-built",
    "2026-11-29",
)
M1_MAX_PEAK = replace(M1_RELEASE, read="")
M2_ULTRA_RELEASE = Document(
    "Apple: Apple introduces M2 Ultra, press release of 5 June 2023",
    "https://www.apple.com/pt/newsroom/2023/06/apple-introduces-m2-ultra",
    "2026-11-29",
)
M3_ULTRA_RELEASE = Document(
    "Apple: Apple reveals M3 Ultra, press release of 5 March 2025",
    "https://www.apple.com/newsroom/2025/03/apple-reveals-m3-ultra-taking-apple-silicon-to-a-new-extreme/",
)
M4_RELEASE = Document(
    "Apple: Apple introduces M4 Pro and M4 Max, press release of 30 October 2024",
    "https://www.apple.com/newsroom/2024/10/apple-introduces-m4-pro-and-m4-max/",
)

m1_max = Accelerator(
    name="Apple M1 Max 64 GB",
    memory=64 * GiB,
    memory_bandwidth=400e9,
    dense_fp32=10.4e12,
    sources=M1_RELEASE.cite(
        "M1 Max",
        memory="up to 64 GB unified memory",
        memory_bandwidth="up to 400 GB/s",
    )
    | M1_MAX_PEAK.cite("M1 Max", dense_fp32="10.4 teraflops"),
)

m2_ultra = Accelerator(
    name="Apple M2 Ultra 192 GB",
    memory=192 * GiB,
    memory_bandwidth=800e9,
    sources=M2_ULTRA_RELEASE.cite(
        "M2 Ultra",
        memory="up to 192 GB unified memory",
        memory_bandwidth="800 GB/s",
    ),
)

m3_ultra = Accelerator(
    name="Apple M3 Ultra 512 GB",
    memory=512 * GiB,
    memory_bandwidth=819e9,
    sources=M3_ULTRA_RELEASE.cite(
        "M3 Ultra",
        memory="up to 512 GB unified memory",
        memory_bandwidth="over 800 GB/s; 819 GB/s in the specifications of Mac Studio",
    ),
)

m4_pro = Accelerator(
    name="Apple M4 Pro 64 GB",
    memory=64 * GiB,
    memory_bandwidth=273e9,
    sources=M4_RELEASE.cite(
        "M4 Pro",
        memory="up to 64 GB unified memory",
        memory_bandwidth="273 GB/s",
    ),
)

m4_max = Accelerator(
    name="Apple M4 Max 128 GB",
    memory=128 * GiB,
    memory_bandwidth=546e9,
    sources=M4_RELEASE.cite(
        "M4 Max",
        memory="up to 128 GB unified memory",
        memory_bandwidth="546 GB/s",
    ),
)
