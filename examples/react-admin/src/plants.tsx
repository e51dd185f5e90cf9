import {
  BulkDeleteButton,
  BulkUpdateButton,
  Create,
  DataTable,
  Edit,
  List,
  Pagination,
  PaginationActions,
  type PaginationActionsProps,
  regex,
  required,
  SearchInput,
  SimpleForm,
  TextInput,
  useListContext,
  useRecordContext,
} from 'react-admin';

const int64 = regex(/^(0|-?[1-9]\d{0,18})$/, 'An id is an integer.');

export function PlantList() {
  return (
    <List
      filters={[<SearchInput key="q" source="q" alwaysOn />, <TextInput key="tag" source="tag" alwaysOn />]}
      sort={{ field: 'id', order: 'ASC' }}
      exporter={false}
      pagination={<Pagination actions={NearPages} />}
    >
      <PlantTable />
    </List>
  );
}

function PlantTable() {
  const { filterValues } = useListContext();
  return (
    <DataTable
      bulkActionButtons={
        <>
          <BulkUpdateButton label="Remove tag" data={{ tag: null }} mutationMode="pessimistic" />
          <BulkDeleteButton mutationMode="pessimistic" />
        </>
      }
    >
      <DataTable.Col source="id" disableSort={filterValues.tag !== undefined} />
      <DataTable.Col source="name" />
      <DataTable.Col source="tag" disableSort />
    </DataTable>
  );
}

/** No button leads to the last page: the way there is through all pages between. */
function NearPages(props: PaginationActionsProps) {
  return <PaginationActions {...props} boundaryCount={0} />;
}

export function PlantEdit() {
  return (
    <Edit mutationMode="pessimistic">
      <PlantForm />
    </Edit>
  );
}

function PlantForm() {
  // A plant of the list has no entity tag, and without one an edit overwrites what others have changed.
  return useRecordContext()?.etag === undefined ? null : (
    <SimpleForm>
      <Fields />
    </SimpleForm>
  );
}

export function PlantCreate() {
  return (
    <Create transform={({ tag, ...plant }) => (tag === null ? plant : { ...plant, tag })}>
      <SimpleForm>
        <TextInput source="id" validate={[required(), int64]} />
        <Fields />
      </SimpleForm>
    </Create>
  );
}

function Fields() {
  return (
    <>
      {/* An empty name stays one: react-admin would make it null, which removes a field. */}
      <TextInput source="name" defaultValue="" parse={(text: string) => text} />
      <TextInput source="tag" />
    </>
  );
}
