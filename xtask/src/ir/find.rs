//! Finding in a service: what an index or an id points to, and what belongs together.

use crate::ir::{
    Example, Field, Model, OpenPoint, OpenRef, Operation, Param, Response, RustName, Service, Type,
};

impl Service {
    /// The open point of this id.
    pub fn open_point(&self, id: &OpenRef) -> Option<&OpenPoint> {
        self.open_points.iter().find(|point| point.id == id.0)
    }

    /// The model that a response is made of.
    pub fn response_model(&self, operation: &Operation) -> Option<&Model> {
        self.models.get(operation.response.of())
    }

    /// The examples of an operation.
    pub fn examples_of(&self, operation: &Operation) -> impl Iterator<Item = &Example> {
        let index = self.operations.iter().position(|other| other.select == operation.select);
        self.examples.iter().filter(move |example| Some(example.operation) == index)
    }

    /// The name of a declared type; `None` for the built-in ones.
    pub fn type_name(&self, ty: Type) -> Option<&RustName> {
        match ty {
            Type::Text | Type::Integer | Type::Boolean => None,
            Type::Scalar(index) => self.scalars.get(index).map(|scalar| &scalar.rust),
            Type::Enum(index) => self.enums.get(index).map(|one| &one.rust),
            Type::Model(index) => self.models.get(index).map(|model| &model.rust),
        }
    }
}

impl Response {
    /// The model: index into [`Service::models`].
    pub fn of(&self) -> usize {
        match *self {
            Self::Envelope { of, .. } | Self::Array { of } | Self::Object { of } => of,
        }
    }

    /// Whether the answer is a list of records.
    pub fn is_list(&self) -> bool {
        !matches!(self, Self::Object { .. })
    }
}

impl Model {
    /// The field that identifies a record.
    pub fn identity_field(&self) -> Option<&Field> {
        self.identity.and_then(|index| self.fields.get(index))
    }
}

impl Operation {
    /// The parameters that a parameter needs.
    pub fn needed_by<'a>(&'a self, param: &'a Param) -> impl Iterator<Item = &'a Param> {
        param.needs.iter().filter_map(|&index| self.params.get(index))
    }

    /// The optional parameters that another one needs, with their positions: whether they were
    /// given is part of the type of the query, in this order.
    pub fn states(&self) -> impl Iterator<Item = (usize, &Param)> {
        let needed = |index: usize| self.params.iter().any(|other| other.needs.contains(&index));
        let params = self.params.iter().enumerate();
        params.filter(move |(index, param)| !param.required && needed(*index))
    }
}
