import { describe, expect, test } from 'vitest';
import { languageOf, languages, personalData, rowsWithPersonalData } from '../../../../engine/data/index.ts';

const kinds = (text: string) => personalData(text).map(({ kind, text: found }) => `${kind} ${found}`);

describe('personal data', () => {
  test.each([
    ['Write to jane.doe+x@mail.example.org.', 'email jane.doe+x@mail.example.org'],
    ['IBAN DE89 3704 0044 0532 0130 00 please', 'iban DE89 3704 0044 0532 0130 00'],
    ['GB82WEST12345698765432', 'iban GB82WEST12345698765432'],
    ['card 4111 1111 1111 1111, thanks', 'card 4111 1111 1111 1111'],
    ['amex 378282246310005', 'card 378282246310005'],
    ['5555-5555-5555-4444', 'card 5555-5555-5555-4444'],
    ['from 8.8.4.4 yesterday', 'ip 8.8.4.4'],
    ['2001:db8:85a3::8a2e:370:7334', 'ip 2001:db8:85a3::8a2e:370:7334'],
    ['call +49 30 901820 now', 'phone +49 30 901820'],
    ['+1 (212) 555-0147', 'phone +1 (212) 555-0147'],
    ['(212) 555-0147', 'phone (212) 555-0147'],
    ['212-555-0147', 'phone 212-555-0147'],
    ['Tel.: 030 901820', 'phone 030 901820'],
  ])('%s', (text, found) => {
    expect(kinds(text)).toEqual([found]);
    const [{ start, end, text: own }] = personalData(text);
    expect(text.slice(start, end)).toBe(own);
  });

  test.each([
    ['an answer', '12 + 30 = 42, so the answer is 1,234,567.89'],
    ['dates and times', 'on 2024-01-02 at 10:20:30, or 01.02.2024 12:30'],
    ['a wrong checksum', 'DE89 3704 0044 0532 0130 01 and 4111 1111 1111 1112'],
    ['a long number', '31415926535897932384626433832795'],
    ['digits of one kind', '0000 0000 0000 0000'],
    ['a version', 'version 1.2.3.4 and v8.8.4.4'],
    ['machines of the own network', 'localhost is 127.0.0.1, the router 192.168.0.1, any 0.0.0.0'],
    ['a range and a code', 'pages 100-200-3000, ISBN 978-3-16-148410-0'],
    ['decorators and handles', '@property\ndef f(self): ... ask @someone, a@b'],
    ['times of code', 'std::vector::iterator a::b::c 12:34:56'],
    ['steps of arithmetic', '<<48/2=24>>24 48+24 = <<48+24=72>>72 #### 72'],
    ['a phone word without a number', 'call 911, phone 12'],
  ])('is none in %s', (_, text) => {
    expect(kinds(text)).toEqual([]);
  });

  test('finds several places, in the order of the text, and the rows that have any', () => {
    const text = 'a@example.com, then 8.8.8.8, then b@example.com';
    expect(personalData(text).map(({ kind }) => kind)).toEqual(['email', 'ip', 'email']);
    const rows = [
      { id: '1', text: 'nothing here' },
      { id: '2', text },
    ];
    expect(rowsWithPersonalData(rows).map(({ id, matches }) => [id, matches.length])).toEqual([['2', 3]]);
  });

  test('reads long runs of one character in no time worth a limit', () => {
    for (const unit of ['1', '1 ', 'a', 'a.', ':', 'a@', '1.', '+1-', 'DE12 ', '(1'])
      expect(personalData(unit.repeat(20_000)).length).toBeLessThanOrEqual(20_000);
  });
});

/** Two sentences of each language. */
const sentences: Readonly<Record<string, readonly string[]>> = {
  en: [
    'The train to the city was late again this morning.',
    'How many of them can you carry at once if it is heavy?',
  ],
  de: [
    'Der Zug in die Stadt hatte heute Morgen schon wieder Verspätung.',
    'Wie viele davon kannst du auf einmal tragen, wenn es schwer ist?',
  ],
  fr: [
    'Le train pour la ville était encore en retard ce matin.',
    'Combien en pouvez-vous porter si elle est dans la voiture ?',
  ],
  es: [
    'El tren a la ciudad llegó tarde otra vez esta mañana.',
    '¿Cuántos de ellos puedes llevar cuando no hay otra persona?',
  ],
  it: [
    'Il treno per la città era di nuovo in ritardo questa mattina.',
    'Quanti di questi puoi portare con te se non sono pesanti?',
  ],
  pt: [
    'O trem para a cidade estava atrasado de novo nesta manhã, não é?',
    'Quantos deles você pode levar quando eles não são muito pesados?',
  ],
  nl: [
    'De trein naar de stad was vanochtend weer te laat.',
    'Hoeveel kan je er dragen als het niet zwaar is en ook niet ver?',
  ],
  pl: [
    'Pociąg do miasta był dziś rano znowu spóźniony.',
    'Ile z nich możesz nieść, jeśli nie jest to ciężkie i tylko na chwilę?',
  ],
  sv: [
    'Tåget till staden var försenat igen i morse och jag kom sent.',
    'Hur många av dem kan du bära om det inte är för tungt?',
  ],
  da: [
    'Toget til byen var forsinket igen i morges, og jeg blev sur.',
    'Hvad skal jeg gøre efter at have været der meget længe?',
  ],
  no: [
    'Toget til byen var forsinket igjen, og jeg ble sur etter en stund.',
    'Hva skal jeg gjøre når det bare er noen få igjen mellom oss?',
  ],
  cs: [
    'Vlak do města měl dnes ráno opět zpoždění, protože byla mlha.',
    'Kolik jich můžeš nést, když to není těžké a jsou při tobě?',
  ],
  ro: [
    'Trenul de dimineață către oraș a fost din nou în întârziere.',
    'Ce poate să facă o persoană care nu este acasă după ora aceasta și când?',
  ],
  hu: [
    'A vonat ma reggel megint késett, és nem is ez volt az első.',
    'Hogy lehet, hogy csak egy ember van itt minden nap?',
  ],
  fi: [
    'Juna kaupunkiin oli taas myöhässä, mutta se ei ole uutta.',
    'Mitä hän voi tehdä, jos se on jo liian raskas ja ne ovat poissa?',
  ],
  tr: [
    'Şehre giden tren bu sabah yine geç kaldı ve çok kalabalıktı.',
    'Bu kadar ağır olan şey için ne kadar zaman var?',
  ],
  id: [
    'Kereta ke kota itu terlambat lagi dan saya tidak bisa menunggu.',
    'Berapa banyak yang bisa mereka bawa untuk orang ini pada tahun ini?',
  ],
  vi: [
    'Chuyến tàu vào thành phố lại đến muộn và tôi không thể chờ được.',
    'Bạn có thể mang được bao nhiêu cho những người này trong một năm?',
  ],
  ru: [
    'Поезд в город сегодня утром снова опоздал.',
    'Сколько из них ты можешь унести, если это не так тяжело?',
  ],
  uk: [
    'Потяг до міста знову запізнився, і це було вже не вперше.',
    'Скільки їх ти можеш нести, якщо це не важко?',
  ],
  bg: [
    'Влакът за града отново закъсня тази сутрин и не беше за първи път.',
    'Колко от тях може да носи, ако това не е тежко?',
  ],
  sr: [
    'Воз за град је јутрос опет каснио и то није било први пут.',
    'Колико их може да носи ако није тешко и ако су близу?',
  ],
  zh: ['今天早上去城里的火车又晚点了。'],
  ja: ['今朝の電車はまた遅れました。'],
  ko: ['오늘 아침 기차가 또 늦었습니다.'],
  ar: ['تأخر القطار إلى المدينة مرة أخرى هذا الصباح.'],
  he: ['הרכבת לעיר איחרה שוב הבוקר.'],
  el: ['Το τρένο για την πόλη άργησε πάλι σήμερα.'],
  hi: ['आज सुबह शहर जाने वाली ट्रेन फिर देर से आई।'],
  th: ['รถไฟเข้าเมืองมาสายอีกแล้วเช้านี้'],
};

describe('languages', () => {
  test.each(Object.entries(sentences))('%s', (language, texts) => {
    expect(texts.map(languageOf)).toEqual(texts.map(() => language));
  });
  test.each([
    ['nothing', ''],
    ['numbers', '12 + 30 = 42 #### 42'],
    ['a name', 'Anna Petrova'],
    ['code', 'const x = foo(bar); return x[0] ?? baz;'],
    ['a formula', 'f(x) = sin(x)^2 + cos(x)^2'],
  ])('are undetermined for %s', (_, text) => {
    expect(languageOf(text)).toBe('und');
  });
  test('keep the language of an English text that quotes another script', () => {
    expect(
      languageOf('The word 東京 means the eastern capital, and that is what it was called for a while.'),
    ).toBe('en');
  });
  test('list their rows, the commonest first', () => {
    const rows = [...sentences.de, ...sentences.en, '42', sentences.de[0]].map((text, at) => ({
      id: `${at}`,
      text,
    }));
    expect(languages(rows)).toEqual([
      { language: 'de', rows: ['0', '1', '5'] },
      { language: 'en', rows: ['2', '3'] },
      { language: 'und', rows: ['4'] },
    ]);
  });
});
