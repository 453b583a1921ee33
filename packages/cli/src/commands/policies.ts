import { readFileSync } from 'node:fs'
import { type Command, type Given, type Option, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import { printList, printOne } from '../print.ts'
import type { Terminal } from '../terminal.ts'

const owner: Record<string, Option> = {
  tenant: { type: 'string', value: 'ID', summary: 'The policy of this tenant.' },
  connection: { type: 'string', value: 'ID', summary: 'The policy of this connection.' },
}
const reason: Record<string, Option> = {
  reason: { type: 'string', value: 'TEXT', summary: 'Why, for the audit log.' },
}

/** The client's methods for this owner. */
function policyOf(given: Given, terminal: Terminal) {
  const [tenant, connection] = [given.text('tenant'), given.text('connection')]
  if ((tenant === undefined) === (connection === undefined)) {
    throw new UsageError('causeway policies: name either --tenant or --connection.')
  }
  const client = openClient(terminal)
  return { id: tenant ?? connection ?? '', methods: tenant === undefined ? client.connections : client.tenants }
}

const reasonIn = (given: Given) => ({ ...(given.text('reason') !== undefined && { reason: given.text('reason') }) })

export const policies: Command = {
  name: 'policies',
  summary: 'Print the tool policy of a tenant or a connection.',
  options: owner,
  async run(given, terminal) {
    const { id, methods } = policyOf(given, terminal)
    printOne(await methods.getToolPolicy(id), given, terminal)
  },
}

export const policiesPut: Command = {
  name: 'policies put',
  summary: 'Create or replace a tool policy with that of a JSON file.',
  arguments: ['FILE'],
  options: { ...owner, ...reason },
  async run(given, terminal) {
    const { id, methods } = policyOf(given, terminal)
    await methods.putToolPolicy(id, { policy: policyIn(given.arguments[0] ?? ''), ...reasonIn(given) })
  },
}

export const policiesRemove: Command = {
  name: 'policies remove',
  summary: 'Remove a tool policy. Wider policies stay.',
  options: { ...owner, ...reason },
  async run(given, terminal) {
    const { id, methods } = policyOf(given, terminal)
    await methods.deleteToolPolicy(id, reasonIn(given))
  },
}

export const policiesHistory: Command = {
  name: 'policies history',
  summary: 'List the versions of a tool policy.',
  options: owner,
  async run(given, terminal) {
    const { id, methods } = policyOf(given, terminal)
    await printList(
      methods.listToolPolicyVersions(id),
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
    const { id, methods } = policyOf(given, terminal)
    const version = Number(given.arguments[0])
    if (!Number.isSafeInteger(version) || version < 1) {
      throw new UsageError('causeway policies rollback: VERSION must be a whole number.')
    }
    await methods.rollBackToolPolicy(id, { version, ...reasonIn(given) })
  },
}

function policyIn(file: string) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`)
  }
}
