import { expect, test } from 'vitest'
import { filledProfile, type Integration, type Tool } from '../../../src/platform/gateway/domain/integration.ts'
import { freeRequest } from '../../../src/platform/gateway/domain/request-tool.ts'
import { toolRequest } from '../../../src/platform/gateway/domain/tool-request.ts'
import { catalogue } from '../../../src/platform/gateway/integrations/catalogue.ts'

/** What connections have of their own, where hosts depend on it. */
const values = {
  subdomain: 'acme',
  shop: 'acme',
  dc: 'us1',
  api_domain: 'acme.pipedrive.com',
  instance_url: 'acme.my.salesforce.com',
  realmId: '4711',
}

const everyTool = catalogue([])
  .all()
  .map((integration) => filledProfile(integration, values))
  .flatMap((integration) =>
    integration.tools.map((tool) => [`${integration.id} ${tool.name}`, integration, tool] as const),
  )

const toolOf = (name: string, tool: string): [Tool, Integration] => {
  const integration = catalogue([]).get(name)!
  return [integration.tools.find((each) => each.name === tool)!, integration]
}

const sampleOf = ({ inputSchema }: Tool) => {
  const properties = inputSchema.properties as Record<string, { type: string }>
  const samples: Record<string, unknown> = {
    string: 'a b/../c',
    integer: 3,
    number: 0.5,
    boolean: true,
    object: { x: 1 },
    array: ['y'],
  }
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, samples[type]]))
}

test.each(everyTool)('%s stays at the hosts of its integration, whatever its arguments say', (_, integration, tool) => {
  const { url } = toolRequest(tool, sampleOf(tool), integration)

  expect(integration.apiHosts).toContain(url.host)
  expect(url.protocol).toBe('https:')
  expect(url.pathname).not.toContain('/../')
})

test.each(everyTool)('%s uses every argument it asks for', (_, _integration, tool) => {
  const used = JSON.stringify(tool.request)

  const unused = Object.keys(tool.inputSchema.properties as object).filter((name) => !used.includes(`{${name}}`))

  expect(unused).toEqual([])
})

test('a mail is a message with encoded subject and text', () => {
  const { body } = toolRequest(
    toolOf('gmail', 'send_message')[0],
    { to: 'user@acme.example', subject: 'Grüße', text: 'Hällo' },
    toolOf('gmail', 'send_message')[1],
  )

  const message = Buffer.from((body as { raw: string }).raw, 'base64url').toString()
  expect(message).toBe(
    [
      'To: user@acme.example',
      'Subject: =?UTF-8?B?R3LDvMOfZQ==?=',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('Hällo').toString('base64'),
    ].join('\r\n'),
  )
})

test.each([
  ['subject', { to: 'user@acme.example', subject: 'Hi\r\nBcc: all@acme.example', text: '' }],
  ['to', { to: 'user@acme.example\nBcc: all@acme.example', subject: 'Hi', text: '' }],
])('a line break in %s cannot begin another header', (_, args) => {
  expect(() => toolRequest(toolOf('gmail', 'send_message')[0], args, toolOf('gmail', 'send_message')[1])).toThrow(
    'must be one line',
  )
})

test.each(['.', '..'])('the argument %s cannot climb in a path', (fileId) => {
  const [tool, integration] = toolOf('google-drive', 'get_file')

  expect(() => toolRequest(tool, { fileId }, integration)).toThrow('must not be')
})

test.each([
  ['google-drive', 'get_file', { fileId: '' }],
  ['google-calendar', 'delete_event', { calendarId: 'primary', eventId: '' }],
])('%s, %s: nothing does not name a whole folder', (integrationName, toolName, args) => {
  const [tool, integration] = toolOf(integrationName, toolName)

  expect(() => toolRequest(tool, args, integration)).toThrow('must not be empty')
})

test.each([
  'https://gmail.googleapis.com./gmail/v1/users/me/labels',
  'https://gmail.googleapis.com:8443/',
  'http://gmail.googleapis.com/',
  'http://gmail.googleapis.com:443/',
  'https://gmail.googleapis.com@evil.example/',
  'https://evil.example#@gmail.googleapis.com/',
  'https://evil.example\\@gmail.googleapis.com/',
  'https://user@gmail.googleapis.com/',
  'https://sub.gmail.googleapis.com/',
  'https://[::ffff:127.0.0.1]/',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'file:///etc/passwd',
])('the request tool does not go to %s', (url) => {
  const [, integration] = toolOf('gmail', 'list_labels')

  expect(() => freeRequest({ url }, integration)).toThrow()
})

test('an integration of the file goes before a shipped one of the same name', () => {
  const [, shipped] = toolOf('github', 'get_issue')

  expect(catalogue([{ ...shipped, displayName: 'Ours' }]).get('github')?.displayName).toBe('Ours')
})
