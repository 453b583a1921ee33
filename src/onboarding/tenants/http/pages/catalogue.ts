import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { categories, tiers } from '../../../domain/catalogue/catalogue-item.ts'
import type { TenantFlows } from '../../flows/tenant-flows.ts'
import { catalogueItemLocals, catalogueLocals } from '../locals/catalogue.ts'

const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** A bookmarked or typed address may contain anything; an empty field means "any". */
const Query = z.object({
  q: optional(z.string('must be a single text').trim().max(100, 'is longer than 100 characters')),
  category: optional(z.enum(categories, 'is not one of the options')),
  tier: optional(z.enum(tiers, 'is not one of the options')),
  cursor: optional(z.string().regex(/^[a-z0-9-]{1,32}$/, 'is not a valid page')),
})

/** Rows of three, of two and of one are full. */
const limit = 60

export const cataloguePages = (flows: Pick<TenantFlows, 'browseCatalogue' | 'readCatalogueItem'>) =>
  exactRouter()
    .get('/catalogue', (req, res) => {
      const filter = Query.parse(req.query)
      res.render('onboarding/catalogue', catalogueLocals(flows.browseCatalogue({ ...filter, limit }), filter))
    })
    .get('/catalogue/:id', (req, res) => {
      res.render('onboarding/catalogue/app', catalogueItemLocals(flows.readCatalogueItem(req.params.id)))
    })
