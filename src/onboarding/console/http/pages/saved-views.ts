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

/** `query`: the filters of the page with the form. */
const ViewForm = z.strictObject({
  list: z.enum(lists),
  name: text(60).trim().min(1, 'is required'),
  query: text(2_000),
})

const max = 20

const place = (req: Request, list: List) => ({ subject: sessionOf(req).user.subject, list })

export const savedViewPages = ({ ports }: PageParts) =>
  exactRouter()
    .post('/views', async (req, res) => {
      const { list, name, query } = readForm(req)
      const isSaved = await ports.savedViews.save(place(req, list), { name, query }, max)
      if (!isSaved) throw new Failure('input_invalid', `You have ${max} saved views of this list. Remove one first.`)
      res.redirect(303, placeOf(list, query))
    })
    .post('/views/remove', async (req, res) => {
      const { list, name, query } = readForm(req)
      await ports.savedViews.remove(place(req, list), name)
      res.redirect(303, placeOf(list, query))
    })

function readForm(req: Request) {
  const { query, ...form } = ViewForm.parse(req.body)
  return { ...form, query: new URLSearchParams(query).toString() }
}

const placeOf = (list: List, query: string): string => (query === '' ? `/support/${list}` : `/support/${list}?${query}`)

export async function savedViewsLocals(
  { ports }: Pick<PageParts, 'ports'>,
  req: Request,
  { list, filter }: { list: List; filter: Readonly<Record<string, string | undefined>> },
) {
  const query = queryOf(filter)
  const saved = (await ports.savedViews.of(place(req, list))).map((view) => ({
    name: view.name,
    href: placeOf(list, view.query),
    isCurrent: view.query === query,
  }))
  return { views: { list, query, saved, canSave: query !== '' && !saved.some(({ isCurrent }) => isCurrent) } }
}
