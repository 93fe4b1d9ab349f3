import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { type Insert, optional, optionalNumber, type Row, text } from './seed-rows.ts';

/** Adds seed identifiers to solvents that never had any. A solvent whose identifiers were removed stays without them. */
export async function substancesToIdentify(
  transaction: Transaction<Tables>,
  revision: number,
  solvents: readonly Row[],
): Promise<Insert[]> {
  const known = new Map(
    solvents.flatMap((row) => {
      const identifiers = { inchi_key: optional(row, 'inchiKey'), pubchem_cid: optionalNumber(row, 'pubchemCid') };
      return identifiers.inchi_key === null ? [] : [[text(row, 'name'), identifiers] as const];
    }),
  );
  const rows = await transaction
    .selectFrom('substance as entry')
    .selectAll()
    .where('list', '=', 'solvents')
    .where('valid_to', 'is', null)
    .where('valid_from', '<', revision)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('substance as identified')
            .select('identified.row_id')
            .where('identified.list', '=', 'solvents')
            .whereRef('identified.entry_id', '=', 'entry.entry_id')
            .where('identified.inchi_key', 'is not', null),
        ),
      ),
    )
    .execute();
  const values = rows.flatMap(({ row_id: _, ...row }) => {
    const identifiers = known.get(row.name);
    return identifiers === undefined ? [] : [{ ...row, ...identifiers, valid_from: revision }];
  });
  if (values.length === 0) return [];
  const ids = values.map(({ entry_id }) => entry_id);
  return [
    () =>
      transaction
        .updateTable('substance')
        .set({ valid_to: revision })
        .where('list', '=', 'solvents')
        .where('valid_to', 'is', null)
        .where('entry_id', 'in', ids)
        .execute(),
    () => transaction.insertInto('substance').values(values).execute(),
  ];
}

export async function unitsToIdentify(
  transaction: Transaction<Tables>,
  revision: number,
  units: readonly Row[],
): Promise<Insert[]> {
  const known = new Map(
    units.flatMap((row) => {
      const identifiers = { ucum_code: optional(row, 'ucumCode'), qudt_uri: optional(row, 'qudtUri') };
      const hasOne = identifiers.ucum_code !== null || identifiers.qudt_uri !== null;
      return hasOne ? [[text(row, 'unit'), identifiers] as const] : [];
    }),
  );
  const rows = await transaction
    .selectFrom('unit as entry')
    .selectAll()
    .where('valid_to', 'is', null)
    .where('valid_from', '<', revision)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('unit as identified')
            .select('identified.row_id')
            .whereRef('identified.entry_id', '=', 'entry.entry_id')
            .where(({ or, eb }) =>
              or([eb('identified.ucum_code', 'is not', null), eb('identified.qudt_uri', 'is not', null)]),
            ),
        ),
      ),
    )
    .execute();
  const values = rows.flatMap(({ row_id: _, ...row }) => {
    const identifiers = known.get(row.unit);
    return identifiers === undefined ? [] : [{ ...row, ...identifiers, valid_from: revision }];
  });
  if (values.length === 0) return [];
  const ids = values.map(({ entry_id }) => entry_id);
  return [
    () =>
      transaction
        .updateTable('unit')
        .set({ valid_to: revision })
        .where('valid_to', 'is', null)
        .where('entry_id', 'in', ids)
        .execute(),
    () => transaction.insertInto('unit').values(values).execute(),
  ];
}
