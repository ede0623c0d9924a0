import { describe, expect, it } from 'vitest';
import { colorName } from '../../../../src/tools/sheets/view/color-names.ts';

describe('colorName', () => {
  it.each([
    // The standard colours of Excel's palette.
    ['#C00000', 'dark red'],
    ['#FF0000', 'red'],
    ['#FFC000', 'gold/orange'],
    ['#FFFF00', 'yellow'],
    ['#92D050', 'light green'],
    ['#00B050', 'green'],
    ['#00B0F0', 'light blue'],
    ['#0070C0', 'blue'],
    ['#002060', 'dark blue'],
    ['#7030A0', 'purple'],
    // Theme colours of Office 2013 and later, plain and tinted.
    ['#4472C4', 'blue'],
    ['#5B9BD5', 'blue'],
    ['#ED7D31', 'orange'],
    ['#70AD47', 'green'],
    ['#A5A5A5', 'grey'],
    ['#DDEBF7', 'light blue'],
    ['#9DC3E6', 'light blue'],
    ['#1F4E79', 'dark blue'],
    ['#E2EFDA', 'light green'],
    ['#A9D08E', 'light green'],
    ['#375623', 'dark green'],
    ['#FFF2CC', 'light yellow'],
    ['#FFE699', 'light yellow'],
    ['#FCE4D6', 'light orange'],
    ['#833C0B', 'brown'],
    ['#D6DCE4', 'light greyish blue'],
    ['#44546A', 'greyish blue'],
    // Styles "Good", "Bad" and "Neutral".
    ['#C6EFCE', 'light green'],
    ['#FFC7CE', 'light red/pink'],
    ['#FFEB9C', 'light yellow'],
    ['#006100', 'dark green'],
    ['#9C0006', 'dark red'],
    // Names of the web.
    ['#000000', 'black'],
    ['#FFFFFF', 'white'],
    ['#808080', 'grey'],
    ['#D9D9D9', 'light grey'],
    ['#F2F2F2', 'light grey'],
    ['#404040', 'dark grey'],
    ['#00FF00', 'green'],
    ['#008000', 'green'],
    ['#0000FF', 'blue'],
    ['#000080', 'dark blue'],
    ['#FFA500', 'orange'],
    ['#FF8C00', 'orange'],
    ['#FFD700', 'gold/orange'],
    ['#A52A2A', 'dark red/brown'],
    ['#8B4513', 'brown'],
    ['#996633', 'brown'],
    ['#FFC0CB', 'light red/pink'],
    ['#FF69B4', 'pink'],
    ['#FF00FF', 'magenta/pink'],
    ['#800080', 'purple/dark magenta'],
    ['#008080', 'teal'],
    ['#00FFFF', 'cyan'],
    ['#FFFF99', 'light yellow'],
    ['#808000', 'olive/dark yellow'],
    ['#F5F5DC', 'light yellow'],
    ['#C4BD97', 'tan/beige'],
    ['#D2B48C', 'light brown/tan'],
    ['#CCFF00', 'lime/yellow-green'],
    ['#E6B8AF', 'light red'],
    ['#F4CCCC', 'light red/pink'],
    ['#D9EAD3', 'light green'],
    ['#CFE2F3', 'light blue'],
    ['#B4A7D6', 'light purple'],
    ['#ffff00', 'yellow'],
  ])('%s is %s', (color, name) => {
    expect(colorName(color)).toBe(name);
  });

  it('names every colour, and only what is no colour stays without a name', () => {
    for (let value = 0; value <= 0xffffff; value += 4_099) {
      const name = colorName(`#${value.toString(16).padStart(6, '0')}`);
      expect(name).toMatch(
        /^((light|dark) )?(greyish )?(grey|black|white|red|orange|brown|tan|gold|yellow|olive|lime|green|teal|cyan|blue|purple|magenta|pink)/,
      );
    }
    expect(colorName('FFFF00')).toBe('colour');
  });
});
