"""Style of the report page: light and dark, phone and print; contrasts are at least 4.5 to 1 (WCAG AA)."""

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2933; --soft: #52606d; --line: #cbd2d9; --card: #f0f4f8;
  --link: #0b5394; --bar: #7fb2d9; --whisker: #27496d; --band: #cfe3f2; --warn: #8a2c0d; --warnbg: #fdf0e7;
  --shade: #7b879488; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14191f; --ink: #e4e7eb; --soft: #a9b4c0; --line: #3e4c59; --card: #1f2933; --link: #8ec5ff;
    --bar: #4a86b8; --whisker: #d3e6f7; --band: #27496d; --warn: #ffb38a; --warnbg: #3a2418; --shade: #000000cc; } }
* { box-sizing: border-box; }
body { font: 1rem/1.55 system-ui, "Segoe UI", sans-serif; color: var(--ink); background: var(--paper); margin: 0; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: .2rem 0 .4rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
a { color: var(--link); } p { margin: .5rem 0; } .kicker, .soft, caption, figcaption { color: var(--soft); }
.kicker { font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; margin: 0; }
.card { background: var(--card); border-left: .3rem solid var(--whisker); border-radius: .3rem; padding: .7rem 1rem; }
.points { border: 2px solid var(--warn); border-radius: .3rem; padding: .2rem 1rem .6rem; margin: 1rem 0; }
.points h2 { margin: .5rem 0; color: var(--warn); } .points ol { margin: 0; padding-left: 1.4rem; }
.warning { background: var(--warnbg); color: var(--warn); border-radius: .3rem; padding: .5rem .8rem; }
figure { margin: 1.2rem 0; } figure svg { width: 100%; height: auto; display: block; } figure .narrow { display: none; }
.scroll { overflow-x: auto; background: linear-gradient(to left, var(--paper) 40%, transparent) right / 3rem 100% local,
  linear-gradient(to left, var(--shade), transparent) right / 1rem 100% scroll; background-repeat: no-repeat; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-size: .9rem; padding-bottom: .3rem; }
th, td { padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: normal; }
td:first-child { overflow-wrap: anywhere; min-width: 6rem; } thead th { border-bottom: 2px solid var(--soft); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.ends, .date { white-space: nowrap; } .ends { font-size: .85rem; color: var(--soft); }
.scroll th:first-child, .scroll td:first-child { position: sticky; left: 0; background: var(--paper); }
dl { display: grid; grid-template-columns: minmax(8rem, 12rem) 1fr; gap: .3rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
details { border: 1px solid var(--line); border-radius: .3rem; padding: .5rem .9rem; margin: .7rem 0; }
summary { cursor: pointer; font-weight: 600; } code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { background: var(--card); padding: .7rem; border-radius: .3rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.open { font-weight: 600; color: var(--warn); } .sign { display: none; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  h1 { font-size: 1.4rem; } th, td { padding-right: .5rem; }
  figure .wide { display: none; } figure .narrow { display: block; } }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #000; --soft: #333; --line: #bbb; --card: #f4f4f4; --link: #000;
    --bar: #9fc3e0; --whisker: #27496d; --band: #cfe3f2; --warn: #000; --warnbg: #fff; }
  main { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure, tr, .card, .points li { break-inside: avoid; }
  .scroll { overflow: visible; background: none; }
  figure .wide { display: block; max-height: 12cm; width: auto; } figure .narrow { display: none; }
  .sign { display: block; break-inside: avoid; } .sign p { border-bottom: 1px solid var(--ink); padding-top: 1.2rem; }
  thead { display: table-header-group; }
  details.printed::details-content { content-visibility: visible; block-size: auto; } }
"""
COLOURS = {
    "#1f2933": "--ink",
    "#52606d": "--soft",
    "#7fb2d9": "--bar",
    "#27496d": "--whisker",
    "#cfe3f2": "--band",
    "#ffffff": "--paper",
    "#cbd2d9": "--line",
}
"""Colours of a picture, which become those of the page."""
