// The tools of the vendor's own MCP server behind a connection, and the approval of a change.
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { ListedTool, ToolList } from '../../../domain/ports/tool-lists.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { doneNotice } from '../locals/connection.ts'
import { frameLocals } from '../locals/frame.ts'
import { ago, formatTime, shown } from '../locals/words.ts'
import { Reason, text } from './queries.ts'

type Needs = { flows: Pick<AreaFlows, 'readToolList' | 'approveTools' | 'noteRefusal'> }

const ApprovalForm = z.strictObject({ reason: Reason, hash: text(64) })

export const toolPages = ({ flows }: Needs) =>
  exactRouter()
    .get('/connections/:id/tools', async (req, res) => {
      const list = await flows.readToolList({ connectionId: req.params.id })
      const locals = { id: req.params.id, ...toolsLocals(list, new Date()), done: doneNotice(req.query.done) }
      res.render('onboarding/support/tools', { ...locals, ...frameLocals(req, res, '/support/connections') })
    })
    .post('/connections/:id/tools/approve', actAs('agent', flows.noteRefusal), async (req, res) => {
      const { reason, hash } = ApprovalForm.parse(req.body)
      const { id: connectionId } = req.params as { id: string }
      await flows.approveTools({ connectionId, actor: supportActor(req, res), reason, hash })
      res.redirect(303, `/support/connections/${encodeURIComponent(connectionId)}/tools?done=tools_approved`)
    })

function toolsLocals({ approved, pending, seenAt }: ToolList, now: Date) {
  const before = new Map(approved.tools.map((tool) => [tool.name, tool]))
  const after = new Map(pending?.tools.map((tool) => [tool.name, tool]))
  const of = (names: readonly string[], what: string) =>
    names.map((name) => ({
      name: shown(name, 80),
      what,
      before: detail(before.get(name)),
      after: detail(after.get(name)),
    }))
  return {
    seen: `${ago(seenAt, now)} ago`,
    tools: approved.tools.map(toolLocals),
    since: formatTime(approved.at),
    by: shown(approved.by, 80),
    pending: pending && {
      hash: pending.hash,
      since: `${ago(pending.since, now)} ago`,
      changes: [
        ...of(pending.change.added, 'New'),
        ...of(pending.change.changed, 'Changed'),
        ...of(pending.change.removed, 'Removed'),
      ],
      instructions: pending.change.instructionsChanged
        ? { before: whole(approved.instructions ?? ''), after: whole(pending.instructions ?? '') }
        : undefined,
    },
  }
}

const toolLocals = ({ name, description = '', readOnly }: ListedTool) => ({
  name: shown(name, 80),
  description: shown(description, 200),
  readOnly,
})

/** All that an agent would read: a change may be anywhere in it. */
const detail = (tool: ListedTool | undefined): string | undefined =>
  tool && whole(JSON.stringify(tool.definition, null, 2))

/** Never cut off: behind what is not shown, a vendor could say anything, and have it approved. */
const whole = (text: string): string =>
  text
    .split('\n')
    .map((line) => shown(line, Number.POSITIVE_INFINITY))
    .join('\n')
