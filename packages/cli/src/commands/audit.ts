import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Causeway, UnreachableError } from '@causeway/client'
import { chainReader, type Head, readHead } from '../audit-chain.ts'
import type { Command } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import { tenantOf } from '../tenant.ts'
import type { Terminal } from '../terminal.ts'

const reportEvery = 10_000

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Check that no entry of the audit log was changed or removed.',
  options: { tenant: { type: 'string', value: 'ID', summary: 'The tenant. Required if your key can read several.' } },
  async run(given, terminal) {
    const client = openClient(terminal)
    const { url } = readCredentials(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const known = savedHeads(terminal)
    const saved = known[placeOf(url, tenantId)]
    const { head } = await client.audit.getHead({ tenantId })
    const signed = await signedHead(url, head, tenantId)
    await readChain(client, { tenantId, until: signed.position, heads: saved ? [saved, signed] : [signed] }, terminal)
    saveHeads(terminal, { ...known, [placeOf(url, tenantId)]: signed })
    const { position, hash } = signed
    terminal.out(
      given.flag('json')
        ? JSON.stringify({ tenantId, position, hash, head })
        : `Verified ${position} positions of ${tenantId}. The head is ${hash}.`,
    )
  },
}

const broken = (position: number, problem: string) => new CommandError(`Position ${position}: ${problem}`)

async function readChain(
  client: Causeway,
  { tenantId, until, heads }: { tenantId: string; until: number; heads: Head[] },
  terminal: Terminal,
): Promise<void> {
  const chain = chainReader(tenantId, heads)
  for await (const record of client.audit.listRecords({ tenantId, limit: 200 })) {
    if (record.position > until) break
    const problem = chain.take(record)
    if (problem) throw broken(problem.position, problem.problem)
    if (record.position % reportEvery === 0) terminal.err(`Verified ${record.position} of ${until} positions.`)
  }
  const problem = chain.end()
  if (problem) throw broken(problem.position, problem.problem)
}

async function signedHead(url: string, jws: string, tenantId: string): Promise<Head> {
  const address = new URL('/.well-known/jwks.json', url).href
  const response = await fetch(address).catch((error: unknown) => Promise.reject(new UnreachableError(address, error)))
  if (!response.ok) throw new CommandError(`${address} answered ${response.status}.`)
  const { keys } = (await response.json()) as { keys: Array<Record<string, string>> }
  const payload = readHead(jws, keys)
  if (payload?.tenantId !== tenantId)
    throw broken(Number(payload?.position ?? 0), 'The head is not signed by the deployment.')
  return { position: Number(payload.position), hash: String(payload.hash) }
}

const placeOf = (url: string, tenantId: string) => `${new URL(url).origin} ${tenantId}`

const fileOf = ({ configFolder }: Terminal) => join(configFolder, 'audit-heads.json')

/** The newest verified head of each tenant: a later chain must contain it. */
function savedHeads(terminal: Terminal): Record<string, Head> {
  let text: string
  try {
    text = readFileSync(fileOf(terminal), 'utf8')
  } catch {
    return {}
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError(`${fileOf(terminal)} cannot be read. Move it away to verify without the saved heads.`)
  }
}

function saveHeads(terminal: Terminal, heads: Record<string, Head>): void {
  mkdirSync(terminal.configFolder, { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(terminal), `${JSON.stringify(heads, undefined, 2)}\n`)
}
