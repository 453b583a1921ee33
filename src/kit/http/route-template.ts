import type { Express, Request } from 'express'

type RoutedRequest = Request & { matchedRoute?: Request['route']; routeTemplate?: string }

/**
 * Remembers a route when it is met, together with where its router is mounted. Read from the request afterwards, that
 * is lost: the framework takes the mount away again on the way to whoever answers a refusal.
 */
export function rememberRoutes(app: Express): void {
  Object.defineProperty(app.request, 'route', {
    get(this: RoutedRequest) {
      return this.matchedRoute
    },
    set(this: RoutedRequest, route: { path: string }) {
      this.matchedRoute = route
      this.routeTemplate = `${this.baseUrl}${route.path}`
    },
  })
}

/** It stands in for the URL, which may hold tokens and codes: there are as many of them as routes in the code. */
export const routeTemplateOf = (req: Request): string => (req as RoutedRequest).routeTemplate ?? 'none'
