/** Ways to make a browser read one of our paths as the address of another site. */
export const FOREIGN_ADDRESSES: readonly string[] = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/.\\/evil.example',
  '/%2e//evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
];
