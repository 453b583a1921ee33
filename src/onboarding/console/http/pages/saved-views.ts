// Filters of a list that a user of the console saved under a name. They change nothing for others, so no reason is needed.
import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { Failure } from '../../../domain/failure.ts'
import { sessionOf } from '../console-guards.ts'
import { lists } from '../form-places.ts'
import type { PageParts } from '../page-parts.ts'
import { queryOf, text } from './queries.ts'

type List = (typeof lists)[number]

const ViewAt = z.strictObject({ list: z.enum(lists), name: text(60).trim().min(1, 'is required') })
const ViewForm = ViewAt.extend({ query: text(2_000) })

const max = 20

const place = (req: Request, list: List) => ({ subject: sessionOf(req).user.subject, list })

export const savedViewPages = ({ ports }: PageParts) =>
  exactRouter()
    .post('/views', async (req, res) => {
      const { list, name, ...sent } = ViewForm.parse(req.body)
      const query = new URLSearchParams(sent.query).toString()
      const isSaved = await ports.savedViews.save(place(req, list), { name, query }, max)
      if (!isSaved) throw new Failure('input_invalid', `You have ${max} saved views of this list. Remove one first.`)
      res.redirect(303, `/support/${list}?${query}`)
    })
    .post('/views/remove', async (req, res) => {
      const { list, name } = ViewAt.parse(req.body)
      await ports.savedViews.remove(place(req, list), name)
      res.redirect(303, `/support/${list}`)
    })

export async function savedViewsLocals(
  { ports }: Pick<PageParts, 'ports'>,
  req: Request,
  { list, filter }: { list: List; filter: Readonly<Record<string, string | undefined>> },
) {
  const query = queryOf(filter)
  const saved = (await ports.savedViews.of(place(req, list))).map((view) => ({
    name: view.name,
    href: `/support/${list}?${view.query}`,
    isCurrent: view.query === query,
  }))
  return { views: { list, query, saved, canSave: query !== '' && !saved.some(({ isCurrent }) => isCurrent) } }
}
