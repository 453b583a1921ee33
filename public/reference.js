// Starts the API reference. Requests that are tried go to this deployment alone, and only with keys of test mode.

// The reference checks values by code that it would write as it runs, unless told that the page forbids that.
globalThis.__zod_globalConfig = { jitless: true }

const languages = [
  ...[
    'c',
    'clojure',
    'csharp',
    'dart',
    'fsharp',
    'go',
    'http',
    'java',
    'js',
    'julia',
    'kotlin',
    'node',
    'objc',
    'ocaml',
  ],
  ...['php', 'powershell', 'r', 'ruby', 'rust', 'swift'],
]

const settings = {
  url: '/docs/openapi.json',
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideDarkModeToggle: true,
  documentDownloadType: 'none',
  hideTestRequestButton: 'readOnly' in document.querySelector('#reference').dataset,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: {
    ...Object.fromEntries(languages.map((language) => [language, true])),
    shell: ['httpie', 'wget'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  },
  customFetch: sendInTestMode,
}

/** Answered here, and not sent, if the key is not one of test mode: what is tried on a page is not meant for real users. */
async function sendInTestMode(input, init) {
  const request = new Request(input, init)
  const key = request.headers.get('Authorization')?.replace(/^Bearer */i, '') ?? ''
  if (key === '' || key.startsWith('cwk_test_')) return fetch(request, { credentials: 'omit' })
  const problem = {
    title: 'Not sent',
    detail: 'This page uses keys of test mode only.',
    advice: 'Create a key that begins with cwk_test_.',
  }
  return new Response(JSON.stringify(problem), {
    status: 403,
    statusText: 'Not sent',
    headers: { 'Content-Type': 'application/problem+json' },
  })
}

const script = document.createElement('script')
script.src = '/assets/vendor/scalar.js'
script.addEventListener('load', () => globalThis.Scalar.createApiReference('#reference', settings))
document.head.append(script)
