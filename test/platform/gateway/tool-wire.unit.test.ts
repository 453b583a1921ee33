// Requests of catalogue tools, one for each peculiarity of an API.
import { expect, test } from 'vitest'
import { filledProfile } from '../../../src/platform/gateway/domain/integration.ts'
import { encodedBody, toolRequest } from '../../../src/platform/gateway/domain/tool-request.ts'
import { catalogue } from '../../../src/platform/gateway/integrations/catalogue.ts'

const values = { subdomain: 'acme', api_domain: 'acme.pipedrive.com', instance_url: 'acme.my.salesforce.com' }

function sent(product: string, name: string, args: Record<string, unknown>) {
  const integration = filledProfile(catalogue([]).get(product)!, values)
  const call = toolRequest(integration.tools.find((tool) => tool.name === name)!, args, integration)
  return {
    line: `${call.method} ${call.url.href}`,
    headers: call.headers,
    body: encodedBody(call),
    type: call.bodyType,
  }
}

test.each([
  ['xero', 'list_payments', { tenant_id: 't1', page: 2 }, { 'xero-tenant-id': 't1' }],
  ['dropbox', 'read_file', { path: '/Pläne/a.txt' }, { 'dropbox-api-arg': '{"path":"/Pl\\u00e4ne/a.txt"}' }],
  ['outlook-mail', 'read_message', { id: 'm1' }, { prefer: 'outlook.body-content-type="text"' }],
])('%s %s is sent in a header', (product, name, args, headers) => {
  expect(sent(product, name, args).headers).toEqual(headers)
})

test.each([
  ['pipedrive', 'get_deal', { id: 7 }, 'GET https://acme.pipedrive.com/api/v2/deals/7'],
  [
    'salesforce',
    'query',
    { q: 'SELECT Id FROM Account' },
    'GET https://acme.my.salesforce.com/services/data/v61.0/query?q=SELECT+Id+FROM+Account',
  ],
  ['zendesk', 'list_tickets', { page_size: 5 }, 'GET https://acme.zendesk.com/api/v2/tickets?page%5Bsize%5D=5'],
  [
    'google-sheets',
    'read_ranges',
    { spreadsheetId: 's', ranges: ['A1', 'B2'] },
    'GET https://sheets.googleapis.com/v4/spreadsheets/s/values:batchGet?ranges=A1&ranges=B2',
  ],
  [
    'google-sheets',
    'clear_range',
    { spreadsheetId: 's', range: 'Q1!A:B' },
    'POST https://sheets.googleapis.com/v4/spreadsheets/s/values/Q1!A%3AB:clear',
  ],
  [
    'onedrive',
    'search_files',
    { query: 'a/b & c' },
    "GET https://graph.microsoft.com/v1.0/me/drive/root/search(q='a%2Fb%20%26%20c')",
  ],
  ['gitlab', 'get_project', { project: 'acme/site' }, 'GET https://gitlab.com/api/v4/projects/acme%2Fsite'],
  [
    'jira',
    'list_transitions',
    { cloudId: 'c', issueIdOrKey: 'ENG-1' },
    'GET https://api.atlassian.com/ex/jira/c/rest/api/2/issue/ENG-1/transitions',
  ],
])('%s %s uses the right URL', (product, name, args, line) => {
  expect(sent(product, name, args).line).toBe(line)
})

test.each([
  ['notion', 'search', {}, {}],
  ['notion', 'search', { kind: 'page' }, { filter: { property: 'object', value: 'page' } }],
  [
    'jira',
    'create_issue',
    { cloudId: 'c', projectKey: 'ENG', issueType: 'Bug', summary: 'No' },
    { fields: { project: { key: 'ENG' }, issuetype: { name: 'Bug' }, summary: 'No' } },
  ],
  [
    'onedrive',
    'create_folder',
    { folder_id: 'root', name: 'New' },
    { name: 'New', folder: {}, '@microsoft.graph.conflictBehavior': 'rename' },
  ],
  [
    'google-docs',
    'append_text',
    { documentId: 'd', text: 'Hi' },
    { requests: [{ insertText: { text: 'Hi', endOfSegmentLocation: {} } }] },
  ],
  [
    'intercom',
    'close_conversation',
    { conversation_id: 'c', admin_id: 'a' },
    { type: 'admin', message_type: 'close', admin_id: 'a' },
  ],
  ['salesforce', 'update_record', { sobject: 'Account', record_id: '001', fields: { Name: 'Acme' } }, { Name: 'Acme' }],
])('%s %s sends %j in the form of its API', (product, name, args, body) => {
  expect(JSON.parse(sent(product, name, args).body!)).toEqual(body)
})

test('linear sends GraphQL with the given variables', () => {
  const { query, variables } = JSON.parse(sent('linear', 'list_issues', { teamId: 't1', first: 5 }).body!)

  expect(query).toMatch(/^query \(\$first: Int, .*\{ id name type \}/)
  expect(variables).toEqual({ first: 5, filter: { team: { id: { eq: 't1' } } } })
})

test('stripe gets a form', () => {
  const { body, type } = sent('stripe', 'create_customer', { name: 'Acme & Co', metadata: { plan: 'pro' } })

  expect(type).toBe('application/x-www-form-urlencoded')
  expect(body).toBe('name=Acme+%26+Co&metadata%5Bplan%5D=pro')
})

test('dropbox gets the text of a file unchanged', () => {
  const { body, headers, type } = sent('dropbox', 'write_text_file', { path: '/a.txt', content: 'x\n"y"', mode: 'add' })

  expect({ body, type }).toEqual({ body: 'x\n"y"', type: 'application/octet-stream' })
  expect(headers).toEqual({ 'dropbox-api-arg': '{"path":"/a.txt","mode":"add"}' })
})
