import type pg from 'pg'

/** Ends the connection instead of the statement with this number. */
export function dyingPool(pool: pg.Pool, at: number): { pool: pg.Pool; statements(): number } {
  let count = 0
  const connect = async () => {
    const client = await pool.connect()
    const query = client.query.bind(client)
    const dying = new Proxy(client, {
      get(target, name) {
        if (name === 'query')
          return async (...args: Parameters<typeof query>) => {
            count++
            if (count === at)
              await (query as never as (text: string) => Promise<void>)('select pg_terminate_backend(pg_backend_pid())')
            return query(...args)
          }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    return dying
  }
  const proxy = new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return connect
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { pool: proxy, statements: () => count }
}
