// Everything stays on this server: no fonts, proxy, telemetry or assistant of others.
const { Scalar } = globalThis;

Scalar.createApiReference('#reference', {
  url: '/v7/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  // A heading is found under its own name.
  generateHeadingSlug: ({ slug }) => slug,
  onLoaded: goToHeading,
});

/** Answers of the API link to /docs#authentication, which is not there yet when the browser looks for it. */
function goToHeading() {
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
