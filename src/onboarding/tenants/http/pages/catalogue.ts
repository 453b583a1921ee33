import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { categories, tiers } from '../../../domain/catalogue/catalogue-item.ts'
import type { Deps } from '../../../domain/ports/ports.ts'
import { browseCatalogue, readCatalogueItem } from '../../flows/browse-catalogue.ts'
import { catalogueLocals } from '../locals/catalogue.ts'
import { catalogueAppLocals } from '../locals/catalogue-app.ts'

const optional = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

const Query = z.object({
  q: optional(z.string('must be a single text').trim().max(100, 'must have at most 100 characters')),
  category: optional(z.enum(categories, 'is not one of the options')),
  tier: optional(z.enum(tiers, 'is not one of the options')),
  cursor: optional(z.string().regex(/^[a-z0-9-]{1,32}$/, 'is not a valid page')),
})

/** Divisible by three, two and one, so that all rows of the grid are full. */
const limit = 60

export const cataloguePages = ({ ports, settings }: Deps) =>
  exactRouter()
    .get('/catalogue', (req, res) => {
      const filter = Query.parse(req.query)
      res.render('onboarding/catalogue', catalogueLocals(browseCatalogue(ports, { ...filter, limit }), filter))
    })
    .get('/catalogue/:id', (req, res) => {
      const described = readCatalogueItem(ports, req.params.id)
      res.render('onboarding/catalogue/app', catalogueAppLocals(described, settings.publicUrl))
    })
