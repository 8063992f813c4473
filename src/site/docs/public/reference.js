// Everything stays on this server: no external fonts, proxy, telemetry or assistant.
const { Scalar } = globalThis;

Scalar.createApiReference('#reference', {
  // Chosen at the top of the page, or by /docs?api=manage.
  sources: [
    { title: 'API for communities (v7)', slug: 'v7', url: '/v7/openapi.json', default: true },
    { title: 'Management API', slug: 'manage', url: '/manage/v1/openapi.json' },
  ],
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // Headings are linked by their plain name, such as #authentication.
  generateHeadingSlug: ({ slug }) => slug,
  onLoaded: goToHeading,
});

/** API responses link to /docs#authentication, which does not exist yet when the browser looks for it. */
function goToHeading() {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
