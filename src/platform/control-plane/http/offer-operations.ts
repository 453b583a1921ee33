import { z } from 'zod'
import { Configuration, Integration, Location, Template } from '../../../contract/control-plane/catalogue.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import { configuration, locations, templates } from '../domain/offers.ts'

export type Offers = {
  images: string[]
  engine: string
  integrations(): readonly Integration[]
  integration(name: string): Integration | undefined
}

export function offerOperations({ images, engine, integrations, integration }: Offers): Operation[] {
  return [
    readOnly('/templates', 'templates:list', 'List the templates', z.array(Template), () => templates),
    readOnly('/templates/{templateName}', 'templates:get', 'Read a template', Template, ({ templateName }) =>
      known(
        'template',
        templates.find(({ name }) => name === templateName),
      ),
    ),
    readOnly('/locations', 'locations:list', 'List the locations', z.array(Location), () => locations),
    readOnly('/configuration', 'configurations:list', 'Read the available configuration', Configuration, () =>
      configuration({ images, engine }),
    ),
    readOnly('/integrations', 'integrations:list', 'List the integrations', z.array(Integration), integrations),
    readOnly('/integrations/{integrationName}', 'integrations:get', 'Read an integration', Integration, (params) =>
      known('integration', integration(String(params.integrationName))),
    ),
  ]
}

function readOnly(
  path: string,
  scope: string,
  summary: string,
  answer: z.ZodType,
  read: (params: Record<string, string | string[] | undefined>) => unknown,
): Operation {
  const handleCaller = async ({ req }: CallerRequest) => read(req.params)
  return { method: 'get', path, scope, summary, answers: { 200: answer }, handleCaller }
}

function known<T>(kind: string, offer: T | undefined): T {
  if (!offer) throw new Failure('resource_unknown', `No ${kind} has this name.`)
  return offer
}
