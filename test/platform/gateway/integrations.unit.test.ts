import { expect, test } from 'vitest'
import { filledProfile, type Integration, type Tool } from '../../../src/platform/gateway/domain/integration.ts'
import { freeRequest } from '../../../src/platform/gateway/domain/request-tool.ts'
import { toolRequest } from '../../../src/platform/gateway/domain/tool-request.ts'
import { catalogue } from '../../../src/platform/gateway/integrations/catalogue.ts'

/** Values of connections that hosts depend on. */
const values = {
  subdomain: 'acme',
  shop: 'acme',
  dc: 'us1',
  api_domain: 'acme.pipedrive.com',
  instance_url: 'acme.my.salesforce.com',
  realmId: '4711',
  workspace: 'acme.cloud.databricks.com',
  environment: 'acme.crm.dynamics.com',
  domain: 'acme.eu.auth0.com',
  host: 'app-eu.wrike.com',
  api_base_url_for_customer: 'us-1.api.gong.io',
  access_url: 'api.eu.surveymonkey.com',
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

test('tools call only hosts of their integration, for any arguments', () => {
  const wrong = everyTool.filter(([, integration, tool]) => {
    const { url } = toolRequest(tool, sampleOf(tool), integration)
    return !integration.apiHosts.includes(url.host) || url.protocol !== 'https:' || url.pathname.includes('/../')
  })

  expect(everyTool.length).toBeGreaterThan(300)
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('tools use all their arguments', () => {
  const unused = everyTool.flatMap(([name, , tool]) =>
    Object.keys(tool.inputSchema.properties as object)
      .filter((argument) => !JSON.stringify(tool.request).includes(`{${argument}}`))
      .map((argument) => `${name} ${argument}`),
  )

  expect(unused).toEqual([])
})

test('an email is a message with encoded subject and text', () => {
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
])('a line break in %s cannot inject another header', (_, args) => {
  expect(() => toolRequest(toolOf('gmail', 'send_message')[0], args, toolOf('gmail', 'send_message')[1])).toThrow(
    'must be one line',
  )
})

test.each(['.', '..'])('rejects the argument %s in a path', (fileId) => {
  const [tool, integration] = toolOf('google-drive', 'get_file')

  expect(() => toolRequest(tool, { fileId }, integration)).toThrow('must not be')
})

test.each([
  ['google-drive', 'get_file', { fileId: '' }],
  ['google-calendar', 'delete_event', { calendarId: 'primary', eventId: '' }],
])('%s, %s: an empty argument does not name a whole folder', (integrationName, toolName, args) => {
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
])('the request tool rejects %s', (url) => {
  const [, integration] = toolOf('gmail', 'list_labels')

  expect(() => freeRequest({ url }, integration)).toThrow()
})

test('an integration in the file replaces a shipped one of the same name', () => {
  const [, shipped] = toolOf('github', 'get_issue')

  expect(catalogue([{ ...shipped, displayName: 'Ours' }]).get('github')?.displayName).toBe('Ours')
})
