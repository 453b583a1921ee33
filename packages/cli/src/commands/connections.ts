import { type Command, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { printList, printOne } from '../print.ts'

const statuses = ['active', 'needs_relink', 'not_linked', 'disconnected'] as const
type Status = (typeof statuses)[number]

const maxConnections = 50

export const connections: Command = {
  name: 'connections',
  summary: `List up to ${maxConnections} connections.`,
  options: {
    tenant: { type: 'string', value: 'ID', summary: 'Only connections of this tenant.' },
    user: { type: 'string', value: 'ID', summary: 'Only connections of this user.' },
    alias: { type: 'string', value: 'ALIAS', summary: 'Only connections with this alias.' },
    labels: {
      type: 'string',
      value: 'LABELS',
      summary: 'Only connections with these labels: name=value, separated by commas.',
    },
    status: { type: 'string', value: 'STATUS', summary: 'Only connections with this status.', choices: statuses },
  },
  async run(given, terminal) {
    const query = {
      tenantId: given.text('tenant'),
      endUserId: given.text('user'),
      alias: given.text('alias'),
      labels: given.text('labels'),
      status: given.text('status') as Status | undefined,
      limit: maxConnections,
    }
    const { data } = await openClient(terminal).send('listConnections', { query })
    const rowOf = (connection: (typeof data)[number]) => ({
      id: connection.id,
      tenant: connection.tenantId,
      integration: connection.integrationId,
      user: connection.endUser.id,
      alias: connection.alias,
      account: connection.upstreamAccount?.label,
      status: connection.status,
      cause: connection.cause?.code,
    })
    await printList(data, rowOf, { given, terminal, none: 'There are no connections yet.' })
  },
}

export const mcpClients: Command = {
  name: 'mcp-clients',
  summary: 'List the MCP clients that may use the function of a connection.',
  arguments: ['CONNECTION_ID'],
  options: {},
  async run(given, terminal) {
    await printList(
      openClient(terminal).connections.listFunctionGrants(given.arguments[0] ?? ''),
      ({ id, account, app, scopes, createdAt }) => ({
        id,
        account,
        client: app.name,
        scopes: scopes.join(' '),
        since: createdAt,
      }),
      { given, terminal, none: 'No MCP client has access.' },
    )
  },
}

export const connectionsUpdate: Command = {
  name: 'connections update',
  summary: 'Change the alias or the labels of a connection.',
  arguments: ['CONNECTION_ID'],
  options: {
    alias: { type: 'string', value: 'ALIAS', summary: 'The new alias. An empty one removes it.' },
    labels: { type: 'string', value: 'LABELS', summary: 'All labels: name=value, separated by commas.' },
  },
  async run(given, terminal) {
    const [alias, labels] = [given.text('alias'), given.text('labels')]
    if (alias === undefined && labels === undefined) {
      throw new UsageError('causeway connections update: --alias or --labels is missing.')
    }
    const body = {
      ...(alias !== undefined && { alias: alias === '' ? null : alias }),
      ...(labels !== undefined && { labels: labelsIn(labels) }),
    }
    const connection = await openClient(terminal).connections.update(given.arguments[0] ?? '', body)
    const { id, alias: named = '', labels: labelled = {} } = connection
    printOne(given.flag('json') ? connection : { id, alias: named, labels: labelled }, given, terminal)
  },
}

function labelsIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter(Boolean)
  const wrong = pairs.find((pair) => !pair.includes('='))
  if (wrong !== undefined) throw new UsageError(`causeway connections update: the label “${wrong}” has no “=”.`)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
