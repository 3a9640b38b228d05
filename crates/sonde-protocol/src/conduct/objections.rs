//! What the agreement has against a method, remembered for as long as the same method comes again.

use super::clip;
use crate::finding::{Code, Finding};
use crate::frame::Direction;
use crate::method::{Agreement, Objection, Party, Shape, method};

/// The newest method of each direction and what is to be said of it: a flood is of one method.
#[derive(Debug, Default)]
pub(super) struct Objections {
    out: Option<Judged>,
    inward: Option<Judged>,
}

#[derive(Debug)]
struct Judged {
    method: Box<str>,
    shape: Shape,
    objection: Option<(Code, Box<str>)>,
}

impl Objections {
    pub fn judge(
        &mut self,
        agreement: Option<&Agreement>,
        direction: Direction,
        name: &str,
        shape: Shape,
        findings: &mut Vec<Finding>,
    ) {
        let Some(agreement) = agreement else { return };
        let judged = match direction {
            Direction::Out => &mut self.out,
            Direction::In => &mut self.inward,
        };
        if judged.as_ref().is_none_or(|judged| &*judged.method != name || judged.shape != shape) {
            *judged =
                Some(Judged { method: clip(name), shape, objection: objection(agreement, direction, name, shape) });
        }
        if let Some((code, message)) = judged.as_ref().and_then(|judged| judged.objection.as_ref()) {
            findings.push(Finding::new(*code, &**message));
        }
    }
}

fn objection(agreement: &Agreement, direction: Direction, name: &str, shape: Shape) -> Option<(Code, Box<str>)> {
    if let Some(objection) = agreement.objection(Party::from(direction), name) {
        return Some(explain(objection));
    }
    let wanted = method(name)?.shape;
    (wanted != shape).then(|| {
        let message = match wanted {
            Shape::Request => "this method is a request, but has no id that could be answered",
            Shape::Notification => "this method is a notification, which has no id",
        };
        (Code::WrongShape, message.into())
    })
}

pub(super) fn explain(objection: Objection) -> (Code, Box<str>) {
    let code = match objection {
        Objection::UnknownMethod => Code::UnknownMethod,
        Objection::WrongSender => Code::WrongSender,
        Objection::NotInRevision { .. } => Code::NotInRevision,
        Objection::Undeclared { .. } => Code::Undeclared,
    };
    (code, objection.to_string().into())
}
