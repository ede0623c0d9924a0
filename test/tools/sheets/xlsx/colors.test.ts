import { strToU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import {
  isAutomatic,
  OFFICE_THEME,
  parseColor,
  readTheme,
  resolveColor,
  STANDARD_INDEXED,
} from '../../../../src/tools/sheets/xlsx/colors.ts';

const palette = { theme: OFFICE_THEME, indexed: STANDARD_INDEXED };
const resolve = (attributes: Record<string, string>) =>
  resolveColor(parseColor(attributes), palette);

/** What Excel's own colour picker shows for each accent, lightest to darkest. */
const PICKER = `
4F81BD DCE6F1 B8CCE4 95B3D7 366092 244062
C0504D F2DCDB E6B8B7 DA9694 963634 632523
9BBB59 EBF1DE D8E4BC C4D79B 76933C 4F6228
8064A2 E4DFEC CCC0DA B1A0C7 60497A 403151
4BACC6 DAEEF3 B7DEE8 92CDDC 31869B 215967
F79646 FDE9D9 FCD5B4 FABF8F E26B0A 974706
4472C4 D9E1F2 B4C6E7 8EA9DB 305496 203764
ED7D31 FCE4D6 F8CBAD F4B084 C65911 833C0C
A5A5A5 EDEDED DBDBDB C9C9C9 7B7B7B 525252
FFC000 FFF2CC FFE699 FFD966 BF8F00 806000
5B9BD5 DDEBF7 BDD7EE 9BC2E6 2F75B5 1F4E78
70AD47 E2EFDA C6E0B4 A9D08E 548235 375623
1F497D C5D9F1 8DB4E2 538DD5 16365C 0F243E`;
const TINTS = [
  '0.79998168889431442',
  '0.59999389629810485',
  '0.39997558519241921',
  '-0.249977111117893',
  '-0.499984740745262',
];

describe('resolveColor', () => {
  it.each(PICKER.trim().split('\n'))('tints as Excel does: %s', (line) => {
    const [base = '', ...shades] = line.split(' ');
    expect(TINTS.map((tint) => resolve({ rgb: `FF${base}`, tint }))).toEqual(
      shades.map((shade) => `#${shade}`),
    );
  });

  it('tints black and white', () => {
    expect(resolve({ theme: '0', tint: '-0.249977111117893' })).toBe('#BFBFBF');
    expect(resolve({ theme: '1', tint: '0.499984740745262' })).toBe('#808080');
    expect([resolve({ theme: '1', tint: '1' }), resolve({ theme: '0', tint: '-1' })]).toEqual([
      '#FFFFFF',
      '#000000',
    ]);
  });

  it('counts light before dark, as files do', () => {
    const shown = Array.from({ length: 13 }, (_, theme) => resolve({ theme: String(theme) }));
    expect(shown.slice(0, 5)).toEqual(['#FFFFFF', '#000000', '#E7E6E6', '#44546A', '#4472C4']);
    expect(shown.slice(10)).toEqual(['#0563C1', '#954F72', null]);
  });

  it('knows the 64 indexed colours, the two of the system, and those of the book', () => {
    expect(
      ['0', '2', '10', '13', '23', '63', '64', '65', '66'].map((indexed) => resolve({ indexed })),
    ).toEqual([
      '#000000',
      '#FF0000',
      '#FF0000',
      '#FFFF00',
      '#808080',
      '#333333',
      '#000000',
      '#FFFFFF',
      null,
    ]);
    const own = { theme: OFFICE_THEME, indexed: ['ABCDEF'] };
    expect(resolveColor(parseColor({ indexed: '0' }), own)).toBe('#ABCDEF');
    expect(resolveColor(parseColor({ indexed: '10' }), own)).toBe('#FF0000');
  });

  it('leaves the alpha out, and takes nonsense for no colour', () => {
    expect([resolve({ rgb: '80aabbcc' }), resolve({ rgb: 'AABBCC' })]).toEqual([
      '#AABBCC',
      '#AABBCC',
    ]);
    expect([resolve({ rgb: 'red' }), resolve({}), resolve({ theme: '-1' })]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('isAutomatic', () => {
  it('holds for no colour, the theme dark and the window text, but not for a tint of it', () => {
    const automatic = [{}, { auto: '1' }, { theme: '1' }, { indexed: '64' }];
    const chosen = [
      { theme: '1', tint: '0.5' },
      { theme: '0' },
      { rgb: 'FF000001' },
      { indexed: '10' },
    ];
    expect(automatic.map((attributes) => isAutomatic(parseColor(attributes)))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(chosen.map((attributes) => isAutomatic(parseColor(attributes)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('readTheme', () => {
  it('takes RGB and system colours by their slots, and those of Office where there are none', () => {
    const xml = `<a:theme xmlns:a="x"><a:themeElements><a:clrScheme name="n">
      <a:lt1><a:sysClr val="window" lastClr="FEFEFE"/></a:lt1><a:dk1><a:srgbClr val="101010"/></a:dk1>
      <a:accent2><a:srgbClr val="123456"><a:tint val="50"/></a:srgbClr></a:accent2>
      </a:clrScheme><a:fmtScheme><a:accent1><a:srgbClr val="999999"/></a:accent1></a:fmtScheme></a:themeElements></a:theme>`;
    const theme = readTheme([strToU8(xml)], { what: 'x', signal: new AbortController().signal });
    expect(theme.slice(0, 6)).toEqual(['101010', 'FEFEFE', '44546A', 'E7E6E6', '4472C4', '123456']);
  });
});
