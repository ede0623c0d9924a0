/**
 * Words for colours, by hue, saturation and lightness: a model that is asked for "the yellow cells"
 * looks for the word. Where two words are usual both are given (`gold/orange`). Tuned on the
 * standard and theme colours of Excel and LibreOffice. No I/O.
 */

interface Hsl {
  /** Degrees, 0–360. */
  hue: number;
  /** 0–1. */
  saturation: number;
  /** 0–1. */
  lightness: number;
}

/** The name of `#RRGGBB`; of anything else `colour`. */
export function colorName(color: string): string {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (parts === null) return 'colour';
  const [red = 0, green = 0, blue = 0] = parts
    .slice(1)
    .map((part) => Number.parseInt(part, 16) / 255);
  const chroma = Math.max(red, green, blue) - Math.min(red, green, blue);
  const hsl = toHsl({ red, green, blue }, chroma);
  const { saturation, lightness } = hsl;
  if (lightness <= 0.06) return 'black';
  if (lightness >= 0.985) return 'white';
  if (chroma < 0.035 || saturation < 0.1)
    return shade(hsl, { word: 'grey', dark: 0.4, light: 0.7 });
  const name = hueName(hsl);
  if (saturation >= 0.25) return name;
  return name.replace(/^(light |dark )?/, '$1greyish ');
}

function toHsl(rgb: { red: number; green: number; blue: number }, chroma: number): Hsl {
  const { red, green, blue } = rgb;
  const most = Math.max(red, green, blue);
  const lightness = most - chroma / 2;
  if (chroma === 0) return { hue: 0, saturation: 0, lightness };
  const sector =
    most === red
      ? ((green - blue) / chroma + 6) % 6
      : most === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  return {
    hue: sector * 60,
    saturation: chroma / (1 - Math.abs(2 * lightness - 1)),
    lightness,
  };
}

function shade(hsl: Hsl, family: { word: string; dark: number; light: number }): string {
  if (hsl.lightness < family.dark) return `dark ${family.word}`;
  return hsl.lightness >= family.light ? `light ${family.word}` : family.word;
}

/** Families round the circle; each `below` is the hue where the next begins. */
const FAMILIES: readonly { below: number; name: (hsl: Hsl) => string }[] = [
  { below: 15, name: redName },
  { below: 40, name: orangeName },
  { below: 52, name: goldName },
  { below: 66, name: yellowName },
  { below: 165, name: greenName },
  { below: 195, name: cyanName },
  { below: 255, name: blueName },
  { below: 295, name: (hsl) => shade(hsl, { word: 'purple', dark: 0.25, light: 0.7 }) },
  { below: 345, name: pinkName },
  { below: 361, name: redName },
];

function hueName(hsl: Hsl): string {
  return FAMILIES.find(({ below }) => hsl.hue < below)?.name(hsl) ?? 'colour';
}

function redName(hsl: Hsl): string {
  if (hsl.lightness >= 0.75) return hsl.hue < 180 && hsl.hue > 8 ? 'light red' : 'light red/pink';
  if (hsl.saturation < 0.65 && hsl.lightness < 0.45) return 'dark red/brown';
  return shade(hsl, { word: 'red', dark: 0.4, light: 0.6 });
}

function orangeName(hsl: Hsl): string {
  const { saturation, lightness } = hsl;
  if (saturation < 0.5 && lightness < 0.8) return lightness < 0.5 ? 'brown' : 'light brown/tan';
  if (lightness < 0.4) return 'brown';
  if (lightness < 0.48 && saturation < 0.9) return 'dark orange/brown';
  return lightness >= 0.7 ? 'light orange' : 'orange';
}

function goldName({ saturation, lightness }: Hsl): string {
  if (saturation < 0.4) return lightness < 0.5 ? 'brown/olive' : 'tan/beige';
  if (lightness >= 0.78) return 'light yellow';
  return lightness < 0.42 ? 'dark gold/brown' : 'gold/orange';
}

function yellowName({ saturation, lightness }: Hsl): string {
  if (lightness < 0.4) return 'olive/dark yellow';
  if (saturation < 0.3) return 'tan/beige';
  return lightness >= 0.72 ? 'light yellow' : 'yellow';
}

function greenName(hsl: Hsl): string {
  if (hsl.hue < 85 && hsl.saturation > 0.8 && hsl.lightness >= 0.35) return 'lime/yellow-green';
  return shade(hsl, { word: 'green', dark: 0.25, light: 0.54 });
}

function cyanName({ hue, lightness }: Hsl): string {
  if (lightness < 0.2) return 'dark teal';
  if (lightness < 0.42) return 'teal';
  if (lightness >= 0.7) return hue >= 185 ? 'light blue/cyan' : 'light cyan';
  return hue >= 188 ? 'blue/cyan' : 'cyan';
}

function blueName(hsl: Hsl): string {
  // Excel calls #00B0F0 light blue.
  if (hsl.hue < 204 && hsl.saturation > 0.8 && hsl.lightness >= 0.45) return 'light blue';
  return shade(hsl, { word: 'blue', dark: 0.3, light: 0.7 });
}

function pinkName(hsl: Hsl): string {
  const { hue, lightness } = hsl;
  if (lightness < 0.45) return hue < 320 ? 'purple/dark magenta' : 'dark pink';
  if (hue < 315 && lightness < 0.6) return 'magenta/pink';
  return lightness >= 0.82 ? 'light pink' : 'pink';
}
