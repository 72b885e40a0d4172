#!/usr/bin/env python3
"""Draws ten_years.svg from what `kartei-years --csv FILE` wrote: plot.py FILE OUT."""
import csv
import sys

WIDTH, HEIGHT, LEFT, TOP, PANEL, GAP = 720, 620, 70, 40, 230, 70


def panel(rows, top, title, series, scale):
    years = [int(r["year"]) for r in rows if r["forgetting"] == "on"]
    most = max(scale(r, key) for r in rows for _, _, key, on in series if r["forgetting"] == on) or 1

    def point(year, value):
        x = LEFT + (WIDTH - LEFT - 170) * year / max(years)
        return f"{x:.1f},{top + PANEL - PANEL * value / most:.1f}"

    out = [f'<text x="{LEFT}" y="{top - 12}" font-weight="bold">{title}</text>']
    for step in range(5):
        y = top + PANEL - PANEL * step / 4
        out.append(f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - 170}" y2="{y}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{most * step / 4:.4g}</text>')
    for year in years:
        x = point(year, 0).split(",")[0]
        out.append(f'<text x="{x}" y="{top + PANEL + 18}" text-anchor="middle">{year}</text>')
    for place, (label, colour, key, on) in enumerate(series):
        line = " ".join(point(int(r["year"]), scale(r, key)) for r in rows if r["forgetting"] == on)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = top + 14 + 18 * place
        out.append(f'<line x1="{WIDTH - 160}" y1="{y - 4}" x2="{WIDTH - 140}" y2="{y - 4}" stroke="{colour}" '
                   f'stroke-width="2"/><text x="{WIDTH - 134}" y="{y}">{label}</text>')
    return out


def main():
    rows = list(csv.DictReader(open(sys.argv[1])))
    number = lambda row, key: float(row[key])
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
             'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    parts += panel(rows, TOP, "Cards at the end of each year", [
        ("open, forgetting", "#1b7837", "open", "on"), ("open, without", "#b2182b", "open", "off"),
        ("faded", "#92c5de", "faded", "on"), ("archived", "#4393c3", "archived", "on")], number)
    parts += panel(rows, TOP + PANEL + GAP, "Share of the probes that are answered right", [
        ("forgetting", "#1b7837", "right", "on"), ("without", "#b2182b", "right", "off")], number)
    open(sys.argv[2], "w").write("\n".join(parts + ["</svg>\n"]))


if __name__ == "__main__":
    main()
