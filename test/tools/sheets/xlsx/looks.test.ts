import { describe, expect, it } from 'vitest';
import { row, scanRows, styleSheet } from './book.ts';

/** The styles of cells A1, B1, … in order, each with the format of that number. */
async function looks(styles: string, count: number, parts = {}) {
  const cells = Array.from({ length: count }, (_, at) => `<c s="${at}"><v>1</v></c>`).join('');
  const sheet = await scanRows(row(cells), { 'xl/styles.xml': styles, ...parts });
  return { styles: Object.values(sheet.cells).map((cell) => cell?.style), tail: sheet.tail };
}

function formats(count: number, kind: 'fillId' | 'fontId' | 'numFmtId', first = 0): string {
  const items = Array.from({ length: count }, (_, at) => `<xf ${kind}="${first + at}"/>`);
  return `<cellXfs>${items.join('')}</cellXfs>`;
}

describe('styles of an xlsx', () => {
  it('show the colour of each kind of fill', async () => {
    const fills = [
      '<patternFill patternType="none"/>',
      '<patternFill patternType="gray125"/>',
      '<patternFill patternType="solid"><fgColor rgb="FFFFFF00"/><bgColor indexed="64"/></patternFill>',
      '<patternFill patternType="solid"><bgColor rgb="FF00FF00"/></patternFill>',
      '<patternFill patternType="solid"/>',
      '<patternFill patternType="darkUp"><fgColor indexed="10"/><bgColor rgb="FF00FF00"/></patternFill>',
      '<patternFill patternType="lightGray"><bgColor theme="4"/></patternFill>',
      '<gradientFill degree="90"><stop position="0"><color rgb="FF112233"/></stop><stop position="1"><color rgb="FF445566"/></stop></gradientFill>',
      '<patternFill><fgColor rgb="FF123456"/></patternFill>',
      '<patternFill patternType="solid"><fgColor theme="5" tint="0.59999389629810485"/></patternFill>',
    ];
    const all = fills.map((fill) => `<fill>${fill}</fill>`).join('');
    const { styles } = await looks(styleSheet(`<fills>${all}</fills>${formats(10, 'fillId')}`), 10);
    expect(styles.map((style) => style?.fill)).toEqual([
      undefined,
      undefined,
      '#FFFF00',
      '#00FF00',
      '#000000',
      '#FF0000',
      '#4472C4',
      '#112233',
      undefined,
      '#F8CBAD',
    ]);
  });

  it('show fonts, and leave the automatic colour and black out', async () => {
    const fonts = [
      '<sz val="11"/><color theme="1"/>',
      '<color rgb="FF000000"/>',
      '<color auto="1"/>',
      '<b/><i/><strike/><u/><color rgb="FF7030A0"/>',
      '<b val="0"/><i val="false"/><strike val="0"/><u val="none"/>',
      '<u val="double"/><color theme="0"/>',
    ];
    const all = fonts.map((font) => `<font>${font}</font>`).join('');
    const { styles } = await looks(styleSheet(`<fonts>${all}</fonts>${formats(6, 'fontId')}`), 6);
    expect(styles).toEqual([
      undefined,
      undefined,
      undefined,
      { bold: true, italic: true, strike: true, underline: true, color: '#7030A0' },
      undefined,
      { underline: true, color: '#FFFFFF' },
    ]);
  });

  it('name number formats, built in or of the book, but not General', async () => {
    const codes =
      '<numFmts><numFmt numFmtId="2" formatCode="0.000"/><numFmt numFmtId="4" formatCode="GENERAL"/></numFmts>';
    const { styles } = await looks(styleSheet(codes + formats(6, 'numFmtId')), 6);
    expect(styles.map((style) => style?.format)).toEqual([
      undefined,
      '0',
      '0.000',
      '#,##0',
      undefined,
      '"$"#,##0_);\\("$"#,##0\\)',
    ]);
  });

  it('count only the lists of cells, not those of conditional formats and named styles', async () => {
    const styles = styleSheet(
      `<fonts><font/></fonts><fills><fill><patternFill patternType="solid"><fgColor rgb="FF00FF00"/></patternFill></fill></fills>
       <cellStyleXfs><xf fillId="9"/><xf fillId="9"/></cellStyleXfs><cellXfs><xf fillId="0"><alignment/></xf></cellXfs>
       <dxfs><dxf><font><b/></font><fill><patternFill><bgColor rgb="FFFF0000"/></patternFill></fill></dxf></dxfs>`,
    );
    expect((await looks(styles, 1)).styles).toEqual([{ fill: '#00FF00' }]);
  });

  it('use the palette and the theme of the book', async () => {
    const styles = styleSheet(
      `<fills><fill><patternFill patternType="solid"><fgColor indexed="0"/></patternFill></fill>
       <fill><patternFill patternType="solid"><fgColor theme="1"/></patternFill></fill></fills>${formats(2, 'fillId')}
       <colors><indexedColors><rgbColor rgb="00ABCDEF"/></indexedColors><mruColors><color rgb="FF999999"/></mruColors></colors>`,
    );
    const theme =
      '<a:theme xmlns:a="a"><a:clrScheme><a:dk1><a:srgbClr val="202020"/></a:dk1></a:clrScheme></a:theme>';
    const { styles: shown } = await looks(styles, 2, { 'xl/theme/theme1.xml': theme });
    expect(shown).toEqual([{ fill: '#ABCDEF' }, { fill: '#202020' }]);
  });

  it('are plain when the file has none, or refers to what it does not hold', async () => {
    const none = await scanRows(row('<c s="3"><v>45352</v></c>'));
    expect(none.cells.A1).toEqual({ row: 0, column: 0, kind: 'number', text: '45352' });
    const beyond = styleSheet(
      '<fonts><font/></fonts><cellXfs><xf fontId="9" fillId="x" numFmtId="999"/></cellXfs>',
    );
    const { styles } = await looks(beyond, 3);
    expect(styles).toEqual([undefined, undefined, undefined]);
  });

  it('are kept up to where their part is cut off, and the sheet says so', async () => {
    const cut = `<styleSheet><fonts><font><b/></font></fonts><cellXfs><xf/><xf fontId="0"/>`;
    const { styles, tail } = await looks(cut, 2);
    expect(styles).toEqual([{ bold: true }, { bold: true }]);
    expect(tail.notes).toEqual([
      'The part with the styles is cut off; colours and dates may be missing.',
    ]);
  });
});
