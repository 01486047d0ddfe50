// Its argument is the folder of MathJax. Reads [[tex, display], ...] as JSON; writes what MathJax makes of each: {markup, rules} or {error}.
// `rules` are those of the stylesheet beyond the ones that every formula has, which come as `base`.
const { readFileSync } = require("node:fs");

const { init } = require(`${process.argv[2]}/node-main.cjs`);

const CONFIGURATION = {
  loader: {
    load: ["input/tex", "output/chtml", "a11y/assistive-mml"],
    paths: { "mathjax-newcm": "[mathjax]/fonts/mathjax-newcm-font" },
  },
  tex: {
    packages: { "[-]": ["noerrors", "noundefined"] }, // a misspelt macro is an error, not red letters
    formatError: (_, error) => {
      throw error;
    },
  },
  output: { fontPath: "[mathjax]/fonts/%%FONT%%-font", fontURL: "." },
  startup: {
    ready() {
      // assistive-mml leaves a setting for the menu, which is not loaded and would be warned about.
      delete MathJax.config.options?.menuOptions;
      MathJax.startup.defaultReady();
    },
  },
};

function rules() {
  const { adaptor, output, document } = MathJax.startup;
  output.chtmlStyles = null; // asked again, it would give only what is new
  const sheet = adaptor.textContent(output.styleSheet(document));
  output.clearCache();
  return sheet.split(/(?<=^\})\n+/m).map((rule) => rule.trim());
}

// A displayed formula is set as an inline one in display style: only those can wrap on a phone.
async function typeset(tex, display, common) {
  try {
    const source = display ? `\\displaystyle ${tex}` : tex;
    const node = await MathJax.tex2chtmlPromise(source, { display: false });
    const markup = MathJax.startup.adaptor.serializeXML(node);
    return { markup, rules: rules().filter((rule) => !common.has(rule)) };
  } catch (error) {
    return { error: error.message };
  }
}

async function main() {
  await init(CONFIGURATION);
  await MathJax.startup.promise;
  const base = rules();
  const common = new Set(base);
  const formulas = [];
  for (const [tex, display] of JSON.parse(readFileSync(0, "utf-8"))) {
    formulas.push(await typeset(tex, display, common));
  }
  process.stdout.write(JSON.stringify({ base, formulas }));
}

main();
