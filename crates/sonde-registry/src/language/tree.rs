//! The tree that every language is read into.

use std::collections::HashMap;

/// A value, and where it stands.
#[derive(Debug, Clone, Eq)]
pub struct Node {
    pub value: Value,
    /// Counted from 1; 0 for what was not read from a text.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Flag(bool),
    /// As it is written, in the grammar of JSON: a long one keeps all its digits.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Object),
}

/// Members in their order, each name once.
#[derive(Debug, Clone, Default, Eq)]
pub struct Object {
    members: Vec<Member>,
    twice: Vec<Twice>,
}

#[derive(Debug, Clone, Eq)]
pub struct Member {
    pub name: String,
    /// Of the name.
    pub line: u32,
    pub node: Node,
}

/// A name that a text gives two values. The last one is in the tree, as in most programs that read such a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twice {
    pub name: String,
    pub first: u32,
    pub second: u32,
}

// Where something stands is no part of what it says.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.node == other.node
    }
}

impl Object {
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.members.iter().find(|member| member.name == name).map(|member| &member.node)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.members.iter_mut().find(|member| member.name == name).map(|member| &mut member.node)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Takes the member out.
    pub fn take(&mut self, name: &str) -> Option<Node> {
        let place = self.members.iter().position(|member| member.name == name)?;
        Some(self.members.remove(place).node)
    }

    /// Sets a value where the name stands, or at the end.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        let node = Node::from(value.into());
        match self.get_mut(name) {
            Some(there) => *there = node,
            None => self.members.push(Member { name: name.to_owned(), line: 0, node }),
        }
    }

    /// Gives a member another name where it stands. Nothing happens where there is none, or one of that name already.
    pub fn rename(&mut self, from: &str, to: &str) {
        if self.has(to) {
            return;
        }
        if let Some(member) = self.members.iter_mut().find(|member| member.name == from) {
            member.name = to.to_owned();
        }
    }

    /// Members as a text has them: of a name that is there twice the last value stays, and both lines are remembered.
    pub(super) fn read(read: Vec<Member>) -> Self {
        let mut object = Object::default();
        let mut places: HashMap<String, usize> = HashMap::with_capacity(read.len());
        for member in read {
            let place = *places.entry(member.name.clone()).or_insert(object.members.len());
            match object.members.get_mut(place) {
                Some(there) => {
                    let name = member.name.clone();
                    object.twice.push(Twice { name, first: there.line, second: member.line });
                    *there = member;
                }
                None => object.members.push(member),
            }
        }
        object
    }

    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.iter_mut()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.name.as_str())
    }

    pub fn retain(&mut self, keep: impl FnMut(&Member) -> bool) {
        self.members.retain(keep);
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Names of this object, not of those within it, that its text gives twice.
    pub fn twice(&self) -> &[Twice] {
        &self.twice
    }

    /// The first name that is given twice, here or further in, with the way to it.
    pub fn first_twice(&self) -> Option<(String, &Twice)> {
        if let Some(twice) = self.twice.first() {
            return Some((twice.name.clone(), twice));
        }
        self.members.iter().find_map(|member| {
            let (way, twice) = member.node.value.first_twice()?;
            Some((format!("{}.{way}", member.name), twice))
        })
    }
}

impl Value {
    fn first_twice(&self) -> Option<(String, &Twice)> {
        match self {
            Value::Object(object) => object.first_twice(),
            Value::List(list) => list.iter().enumerate().find_map(|(index, node)| {
                let (way, twice) = node.value.first_twice()?;
                Some((format!("{index}.{way}"), twice))
            }),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_flag(&self) -> Option<bool> {
        match self {
            Value::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Node]> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A text, a number or a truth value as a person would type it.
    pub fn as_word(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Number(text) => Some(text),
            Value::Flag(true) => Some("true"),
            Value::Flag(false) => Some("false"),
            Value::Null | Value::List(_) | Value::Object(_) => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// On one line of JSON.
    pub fn to_json(&self) -> String {
        super::render::json_line(self)
    }

    /// Calls for each text in it, with the way to it.
    pub fn each_text<'a>(&'a self, way: &str, each: &mut dyn FnMut(&str, &'a str)) {
        match self {
            Value::Text(text) => each(way, text),
            Value::List(list) => list.iter().for_each(|node| node.value.each_text(way, each)),
            Value::Object(object) => object.each_text(way, each),
            Value::Null | Value::Flag(_) | Value::Number(_) => {}
        }
    }
}

impl Object {
    pub fn each_text<'a>(&'a self, way: &str, each: &mut dyn FnMut(&str, &'a str)) {
        for member in &self.members {
            let way = if way.is_empty() { member.name.clone() } else { format!("{way}.{}", member.name) };
            member.node.value.each_text(&way, each);
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        Node { value, line: 0 }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Flag(flag)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number.to_string())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Value::List(list.into_iter().map(|value| Node::from(value.into())).collect())
    }
}

impl<N: Into<String>, T: Into<Value>> FromIterator<(N, T)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(members: I) -> Self {
        let mut object = Object::default();
        for (name, value) in members {
            object.set(&name.into(), value);
        }
        object
    }
}
