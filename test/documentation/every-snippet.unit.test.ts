// No snippet that an integrator reads is left to luck: it is run by a test, or has a reason why not.
import { expect, test } from 'vitest'
import { integratorDocuments, placeOf, type Snippet, snippetsIn } from './snippets.ts'

/** By what they begin with, in the document; `by`: the test that runs it, or why none can. */
const elsewhere: Array<{ document: string; begins: string; by: string }> = [
  { document: 'ten-minute-start', begins: 'npm start', by: 'test/journeys/demo.slow.test.ts starts what it starts' },
  {
    document: 'ten-minute-start',
    begins: 'CAUSEWAY_URL=',
    by: 'settings, with which programs.slow.test.ts starts the server',
  },
  {
    document: 'ten-minute-start',
    begins: 'mkdir my-app',
    by: 'needs a registry; programs.slow.test.ts makes the same folder',
  },
  {
    document: 'ten-minute-start',
    begins: 'node server.mjs',
    by: 'programs.slow.test.ts starts the server',
  },
  {
    document: 'ten-minute-start',
    begins: 'npx causeway listen',
    by: 'programs.slow.test.ts starts the server with it',
  },
  {
    document: 'ten-minute-start',
    begins: 'export DEMO_DATA_DIR',
    by: 'test/scripts/program.test.ts gives commands the settings of the demo; no test runs these four beside one',
  },
  {
    document: 'receive-webhooks',
    begins: 'WEBHOOK_EGRESS_ALLOW',
    by: 'test/journeys/demo.slow.test.ts starts the demo with it',
  },
  { document: 'receive-webhooks', begins: 'POST /causeway', by: 'requests.test.ts holds it against the schema' },
  {
    document: 'import-grants',
    begins: 'npm run causeway -- import',
    by: 'test/onboarding/cli.test.ts runs the command',
  },
  {
    document: 'open-a-function-in-an-mcp-client',
    begins: 'redirectToAuthorization(url: URL)',
    by: 'a part of a client; test/platform/identity/mcp-oauth.test.ts asks for both scopes as it does',
  },
  {
    document: 'open-a-function-in-an-mcp-client',
    begins: 'npx @modelcontextprotocol/inspector',
    by: 'needs a registry; test/journeys/mcp-login.slow.test.ts logs in with the SDK that it is made of',
  },
  { document: 'misbehaving-provider', begins: 'npm run misbehave', by: 'test/demo/misbehave starts it' },
  { document: 'misbehaving-provider', begins: 'http://127.0.0.1:4400', by: 'a drawing of an address' },
  {
    document: 'manage-tenants',
    begins: 'npm run causeway -- export',
    by: 'test/onboarding/exports/http/tenant-export.test.ts runs what the command does',
  },
  {
    document: 'manage-tenants',
    begins: '{ "branding": { "wording"',
    by: 'test/onboarding/tenants/http/branding.test.ts sends wording in several languages',
  },
  {
    document: 'packages/client',
    begins: 'npm install https',
    by: 'test/packages/installed.slow.test.ts installs the packages',
  },
  {
    document: 'packages/python',
    begins: 'pip install https',
    by: 'test/packages/python.slow.test.ts installs the package',
  },
  {
    document: 'connect',
    begins: '<script type="module"',
    by: 'test/packages/connect/element.slow.test.ts has it in a page',
  },
  {
    document: 'packages/connect',
    begins: 'npm install https',
    by: 'test/packages/installed.slow.test.ts installs the packages',
  },
  {
    document: 'connect',
    begins: 'import { CausewayConnect, CausewayConnected }',
    by: 'test/packages/connect/react.test.ts renders both',
  },
  {
    document: 'packages/connect',
    begins: '<causeway-connect action="/connect/gmail" mode="popup">',
    by: 'test/packages/connect/element.slow.test.ts has the slot in a page',
  },
  { document: 'cli', begins: 'npm install -g', by: 'test/packages/installed.slow.test.ts installs the package' },
  { document: 'cli', begins: 'causeway events', by: 'test/packages/cli/listen.test.ts' },
  { document: 'cli', begins: 'causeway listen', by: 'test/packages/cli/listen.test.ts' },
  { document: 'cli', begins: 'Listening to events', by: 'what test/packages/cli/listen.test.ts reads' },
  { document: 'cli', begins: 'causeway trigger', by: 'test/packages/cli/commands.test.ts' },
  { document: 'cli', begins: 'causeway completion', by: 'test/packages/cli/commands.test.ts' },
]

/** What requests.test.ts sends, and programs.slow.test.ts and python.slow.test.ts run, by the same rules. */
const isRun = ({ document, language, info, text }: Snippet): boolean => {
  if (document.endsWith('misbehaving-provider.md')) return false
  if (language === 'js' || language === 'python') return true
  if (language === 'http') return /^[A-Z]+ \/api\/v1\//.test(text)
  if (language === 'json') return info.includes('/api/v1/')
  return language === 'sh' && /^curl /m.test(text)
}

const snippets = integratorDocuments.flatMap(snippetsIn)

const reasonFor = ({ document, text }: Snippet) =>
  elsewhere.find((each) => document.includes(each.document) && text.startsWith(each.begins))

test('every snippet of the guides is run or has a reason not to', () => {
  expect(snippets.filter((snippet) => !isRun(snippet) && !reasonFor(snippet)).map(placeOf)).toEqual([])
})

test('every reason refers to an existing snippet', () => {
  const used = new Set(snippets.map(reasonFor))

  expect(elsewhere.filter((reason) => !used.has(reason))).toEqual([])
})

test('a test names each program', () => {
  const programs = snippets.filter(({ language }) => language === 'js').map(({ document }) => document)

  // A new one needs its test in programs.slow.test.ts, and its document here once more.
  expect(programs).toEqual([
    'docs/guides/ten-minute-start.md',
    ...Array(7).fill('docs/guides/connect-your-users.md'),
    ...Array(2).fill('docs/guides/receive-webhooks.md'),
    'docs/guides/relink-a-connection.md',
    'packages/client/README.md',
    'packages/client/README.md',
    'docs/api.md',
  ])
})

test('a test names each Python program', () => {
  const programs = snippets.filter(({ language }) => language === 'python').map(({ document }) => document)

  // A new one needs its test in python.slow.test.ts, and its document here once more.
  expect(programs).toEqual([
    ...Array(4).fill('docs/guides/connect-your-users.md'),
    ...Array(2).fill('docs/guides/receive-webhooks.md'),
    ...Array(4).fill('packages/python/README.md'),
    'docs/api.md',
  ])
})
