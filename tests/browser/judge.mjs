// Lighthouse in one browser: a line {url, form, only} in, a line {scores, lacking} out.
import { createInterface } from "node:readline";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const chromeFlags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"];
const chrome = await launch({ chromePath: process.argv[2], chromeFlags });

/** What cost a category points: each audit with its score and the first things that it found. */
function lacking(category, audits) {
  return category.auditRefs
    .filter(({ id, weight }) => weight && audits[id].score !== null && audits[id].score < 1)
    .map(({ id }) => {
      const { score, displayValue = "", details } = audits[id];
      const found = (details?.items ?? []).slice(0, 3).map((item) => item.node?.snippet ?? item.source ?? item);
      return `${id} ${score} ${displayValue} ${JSON.stringify(found).slice(0, 600)}`;
    });
}

try {
  for await (const line of createInterface({ input: process.stdin })) {
    const { url, form, only } = JSON.parse(line);
    const flags = { port: chrome.port, onlyCategories: only, disableFullPageScreenshot: true };
    const config = form === "desktop" ? desktopConfig : undefined;
    const { lhr } = await lighthouse(url, flags, config);
    const categories = Object.values(lhr.categories);
    console.log(
      JSON.stringify({
        error: lhr.runtimeError?.message,
        scores: Object.fromEntries(categories.map(({ id, score }) => [id, Math.round(score * 100)])),
        lacking: categories.flatMap((category) => lacking(category, lhr.audits)),
      }),
    );
  }
} finally {
  await chrome.kill();
}
