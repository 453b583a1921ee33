import type { z } from 'zod'
import { type ToolList as Document, ToolListPage } from '../../../../contract/control-plane/tool-lists.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { FunctionPlace } from '../../../domain/ports/function-access.ts'
import type { Definition, ToolList, ToolLists } from '../../../domain/ports/tool-lists.ts'
import { paths } from './documents.ts'
import type { PlatformHttp } from './platform-http.ts'

export function platformToolLists(http: Pick<PlatformHttp, 'send'>): ToolLists {
  const pathOf = ({ functionName }: FunctionPlace) =>
    `${paths.functions}/${encodeURIComponent(functionName)}/tool-lists`
  return {
    async find(at) {
      const { status, body } = await http.send('GET', pathOf(at), at.workspace)
      if (status === 404) return undefined
      const page = ToolListPage.safeParse(body)
      if (status >= 300 || !page.success) throw unreadable(status)
      const [list] = page.data.data
      return list && toList(list)
    },
    async approve(at, { integration, position }, hash) {
      const { status } = await http.send('POST', `${pathOf(at)}/approval`, at.workspace, {
        integration,
        position,
        hash,
      })
      if (status === 409) return false
      if (status >= 300) throw unreadable(status)
      return true
    },
  }
}

const unreadable = (status: number) => new DependencyError('platform_refused', { detail: `tool lists: ${status}` })

function toList({ integration, position, seenAt, approved, pending }: z.output<typeof Document>): ToolList {
  return {
    integration,
    position,
    seenAt: new Date(seenAt),
    approved: { ...toListed(approved), at: new Date(approved.at), by: approved.by },
    pending: pending && { ...toListed(pending), since: new Date(pending.since), change: pending.change },
  }
}

const toListed = ({
  hash,
  tools,
  instructions,
}: Pick<z.output<typeof Document>['approved'], 'hash' | 'tools' | 'instructions'>) => ({
  hash,
  instructions,
  tools: tools.map(toTool),
})

function toTool(definition: Definition) {
  const { name, description, annotations } = definition
  return {
    name: String(name),
    description: typeof description === 'string' ? description : undefined,
    readOnly: (annotations as { readOnlyHint?: unknown } | undefined)?.readOnlyHint === true,
    definition,
  }
}
