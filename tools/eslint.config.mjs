// What eslint checks in the viewer's page and in the tests' and benches' modules; tools/lint runs it.
import js from "@eslint/js";

const names = (list) => Object.fromEntries(list.split(" ").map((name) => [name, "readonly"]));
const everywhere = "AbortController TextDecoder URL URLSearchParams clearTimeout console fetch performance setTimeout";
const browser = "CSS OffscreenCanvas ResizeObserver addEventListener cancelAnimationFrame document getComputedStyle " +
    "history innerHeight innerWidth localStorage location matchMedia requestAnimationFrame window";

export default [
    js.configs.recommended,
    {
        languageOptions: {ecmaVersion: 2022, sourceType: "module", globals: names(everywhere)},
        linterOptions: {reportUnusedDisableDirectives: "error"},
        rules: {
            "eqeqeq": "error",
            "no-shadow": "error",
            "no-unused-vars": ["error", {ignoreRestSiblings: true}],
            "no-var": "error",
            "prefer-const": "error",
            "max-depth": ["error", 4],
        },
    },
    {files: ["**/page/**/*.js"], languageOptions: {globals: names(browser)}},
    {files: ["**/*.mjs"], languageOptions: {globals: {...names(browser), process: "readonly"}}},
];
