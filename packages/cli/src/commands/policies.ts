import { readFileSync } from 'node:fs'
import { type Command, type Given, type Option, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import { printList, printOne } from '../print.ts'
import type { Terminal } from '../terminal.ts'

const owner: Record<string, Option> = {
  tenant: { type: 'string', value: 'ID', summary: 'The policy of this tenant.' },
  connection: { type: 'string', value: 'ID', summary: 'The policy of this connection.' },
  login: {
    type: 'string',
    value: 'ID',
    summary: 'With --connection: the policy for the MCP client of this function grant (causeway mcp-clients).',
  },
}
const reason: Record<string, Option> = {
  reason: { type: 'string', value: 'TEXT', summary: 'Why, for the audit log.' },
}

/** The client's methods for this owner. */
function policyOf(given: Given, terminal: Terminal) {
  const [tenant, connection, login] = [given.text('tenant'), given.text('connection'), given.text('login')]
  if ((tenant === undefined) === (connection === undefined)) {
    throw new UsageError('causeway policies: name either --tenant or --connection.')
  }
  const { tenants, connections } = openClient(terminal)
  if (connection === undefined) {
    if (login !== undefined) throw new UsageError('causeway policies: --login needs --connection.')
    return methodsFor(tenants, tenant ?? '')
  }
  return login === undefined ? methodsFor(connections, connection) : methodsForLogin(connections, connection, login)
}

type Client = ReturnType<typeof openClient>

const methodsFor = (of: Client['tenants'] | Client['connections'], id: string): Methods => ({
  get: () => of.getToolPolicy(id),
  put: (body) => of.putToolPolicy(id, body),
  remove: (query) => of.deleteToolPolicy(id, query),
  versions: () => of.listToolPolicyVersions(id),
  rollBack: (body) => of.rollBackToolPolicy(id, body),
})

const methodsForLogin = (of: Client['connections'], id: string, grant: string): Methods => ({
  get: () => of.getLoginToolPolicy(id, grant),
  put: (body) => of.putLoginToolPolicy(id, grant, body),
  remove: (query) => of.deleteLoginToolPolicy(id, grant, query),
  versions: () => of.listLoginToolPolicyVersions(id, grant),
  rollBack: (body) => of.rollBackLoginToolPolicy(id, grant, body),
})

type Methods = {
  get(): Promise<object>
  put(body: PolicyBody): Promise<unknown>
  remove(query: Reason): Promise<unknown>
  versions(): AsyncIterable<Version>
  rollBack(body: RollbackBody): Promise<unknown>
}

type Version = ReturnType<Client['tenants']['listToolPolicyVersions']> extends AsyncIterable<infer V> ? V : never

type Reason = { reason?: string }
type PolicyBody = Parameters<Client['tenants']['putToolPolicy']>[1]
type RollbackBody = Parameters<Client['tenants']['rollBackToolPolicy']>[1]

const reasonIn = (given: Given): Reason => {
  const reason = given.text('reason')
  return reason === undefined ? {} : { reason }
}

export const policies: Command = {
  name: 'policies',
  summary: 'Print the tool policy of a tenant, a connection or a login.',
  options: owner,
  async run(given, terminal) {
    printOne(await policyOf(given, terminal).get(), given, terminal)
  },
}

export const policiesPut: Command = {
  name: 'policies put',
  summary: 'Create or replace a tool policy with that of a JSON file.',
  arguments: ['FILE'],
  options: { ...owner, ...reason },
  async run(given, terminal) {
    await policyOf(given, terminal).put({ policy: policyIn(given.arguments[0] ?? ''), ...reasonIn(given) })
  },
}

export const policiesRemove: Command = {
  name: 'policies remove',
  summary: 'Remove a tool policy. Wider policies stay.',
  options: { ...owner, ...reason },
  async run(given, terminal) {
    await policyOf(given, terminal).remove(reasonIn(given))
  },
}

export const policiesHistory: Command = {
  name: 'policies history',
  summary: 'List the versions of a tool policy.',
  options: owner,
  async run(given, terminal) {
    await printList(
      policyOf(given, terminal).versions(),
      ({ version, changedAt, changedBy, changedMembers, reason }) => ({
        version: String(version),
        changed: changedAt,
        by: changedBy.name ?? changedBy.id ?? changedBy.kind,
        members: changedMembers.join(', '),
        reason,
      }),
      { given, terminal, none: 'No policy was ever set.' },
    )
  },
}

export const policiesRollback: Command = {
  name: 'policies rollback',
  summary: 'Restore an earlier version of a tool policy.',
  arguments: ['VERSION'],
  options: { ...owner, ...reason },
  async run(given, terminal) {
    const { rollBack } = policyOf(given, terminal)
    const version = Number(given.arguments[0])
    if (!Number.isSafeInteger(version) || version < 1) {
      throw new UsageError('causeway policies rollback: VERSION must be a whole number.')
    }
    await rollBack({ version, ...reasonIn(given) })
  },
}

function policyIn(file: string) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`)
  }
}
