// A list of tools as the platform pins it, with a change that waits until it is approved.
import type { ToolListPage } from '../../../src/contract/control-plane/tool-lists.ts'

export const pendingHash = 'b'.repeat(64)

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } })

export function pinnedTools(isApproved: boolean): ToolListPage {
  const time = '2026-11-15T09:00:00.000Z'
  const change = { added: ['write'], removed: [], changed: [], instructionsChanged: false }
  const before = { hash: 'a'.repeat(64), tools: [tool('read')], at: time, by: 'first listing' }
  const after = { hash: pendingHash, tools: [tool('read'), tool('write')] }
  const about = { connection: 'linked', integration: 'provider', position: 0, seenAt: time }
  if (isApproved) return { data: [{ ...about, approved: { ...after, at: time, by: 'robot' } }] }
  return { data: [{ ...about, approved: before, pending: { ...after, since: time, change } }] }
}
